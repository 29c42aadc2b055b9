// Brackwater Logistics – platform estate export, 2024-07-01
// run in an empty database; single statement

CREATE
// --- regions ---
(r_euw1:Region {code: 'eu-west-1', name: 'Ireland', provider: 'AWS', isPrimary: true}),
(r_euc1:Region {code: 'eu-central-1', name: 'Frankfurt', provider: 'AWS', isPrimary: false}),
(r_use1:Region {code: 'us-east-1', name: 'N. Virginia', provider: 'AWS', isPrimary: false}),
(r_ne:Region {code: 'northeurope', name: 'North Europe', provider: 'Azure'}),
(r_aps:Region {code: 'ap-southeast-1', name: 'Singapore', provider: 'AWS', isPrimary: false}),

// --- teams ---
(t_pay:Team {name: 'Payments', slackChannel: '#team-payments', budgetUsd: 42000}),
(t_core:Team {name: 'Core Platform', slackChannel: '#core-platform', budgetUsd: 65000}),
(t_dp:Team {name: 'Data Platform', slackChannel: '#data-platform', budgetUsd: 58000}),
(t_rt:Team {name: 'Routing', slackChannel: '#routing', budgetUsd: 31000}),
(t_cx:Team {name: 'Customer Experience', slackChannel: '#cx-eng', budgetUsd: 24000}),
(t_sec:Team {name: 'Security', slackChannel: '#sec-eng'}),

// --- engineers ---
(e_amara:Engineer {name: 'Amara Osei', title: 'Staff Engineer', joined: date('2018-04-09'), location: 'Dublin'}),
(e_ben:Engineer {name: 'Ben Hartigan', title: 'Senior Engineer', joined: date('2020-01-13'), location: 'Dublin'}),
(e_chloe:Engineer {name: 'Chloe Marsh', title: 'Engineer', joined: date('2022-09-05'), location: 'Leeds'}),
(e_dev:Engineer {name: 'Dev Ramanathan', title: 'Engineering Manager', joined: date('2017-06-01'), location: 'Leeds'}),
(e_elif:Engineer {name: 'Elif Demir', title: 'Senior Engineer', joined: date('2019-11-18'), location: 'Berlin'}),
(e_finn:Engineer {name: 'Finn Osei', title: 'Engineer', joined: date('2023-02-20'), location: 'Dublin'}),
(e_greta:Engineer {name: 'Greta Lindahl', title: 'Principal Engineer', joined: date('2016-03-14'), location: 'Berlin'}),
(e_hugo:Engineer {name: 'Hugo Pereira', title: 'Site Reliability Engineer', joined: date('2021-05-10'), location: 'Lisbon'}),
(e_ines:Engineer {name: 'Ines Caldeira', title: 'Engineering Manager', joined: date('2019-02-25'), location: 'Lisbon'}),
(e_jack:Engineer {name: 'Jack Marsh', title: 'Engineer', joined: date('2024-01-08')}),
(e_keiko:Engineer {name: 'Keiko Tanabe', title: 'Senior Engineer', joined: date('2020-08-17'), location: 'Singapore'}),
(e_luca:Engineer {name: 'Luca Brandt', title: 'Site Reliability Engineer', joined: date('2022-03-28'), location: 'Berlin'}),
(e_moira:Engineer {name: 'Moira Kell', title: 'Security Engineer', joined: date('2021-10-04'), location: 'Leeds'}),
(e_nils:Engineer {name: 'Nils Aakre', title: 'Data Engineer', joined: date('2021-01-25'), location: 'Dublin'}),
(e_oona:Engineer {name: 'Oona Brady', title: 'Data Engineer', location: 'Leeds'}),
(e_pavel:Engineer {name: 'Pavel Dusek', title: 'Engineering Manager', joined: date('2018-10-01'), location: 'Berlin'}),

// --- services ---
(s_checkout:Service {name: 'checkout-api', tier: 1, language: 'Java', monthlyCostUsd: 6240, repo: 'brackwater/checkout-api', sloPct: 99.95, launchedOn: date('2019-05-20')}),
(s_ledger:Service {name: 'payment-ledger', tier: 1, language: 'Java', monthlyCostUsd: 4875, repo: 'brackwater/payment-ledger', sloPct: 99.99, launchedOn: date('2019-09-02')}),
(s_paygw:Service {name: 'payment-gateway', tier: 1, language: 'Go', monthlyCostUsd: 3910, repo: 'brackwater/payment-gateway', sloPct: 99.95, launchedOn: date('2020-03-16')}),
(s_invoice:Service {name: 'invoice-worker', tier: 2, language: 'Python', monthlyCostUsd: 1180, repo: 'brackwater/invoice-worker', launchedOn: date('2021-02-08')}),
(s_auth:Service {name: 'auth-service', tier: 1, language: 'Go', monthlyCostUsd: 5320, repo: 'brackwater/auth', sloPct: 99.99, launchedOn: date('2018-11-12')}),
(s_edge:Service {name: 'edge-gateway', tier: 1, language: 'Rust', monthlyCostUsd: 7450, repo: 'brackwater/edge-gateway', sloPct: 99.99, launchedOn: date('2020-10-05')}),
(s_notify:Service {name: 'notification-service', tier: 2, language: 'TypeScript', monthlyCostUsd: 2060, repo: 'brackwater/notify', sloPct: 99.5, launchedOn: date('2020-06-29')}),
(s_route:Service {name: 'route-planner', tier: 1, language: 'Rust', monthlyCostUsd: 9830, repo: 'brackwater/route-planner', sloPct: 99.9, launchedOn: date('2019-01-28')}),
(s_eta:Service {name: 'eta-predictor', tier: 2, language: 'Python', monthlyCostUsd: 8115, repo: 'brackwater/eta-predictor', sloPct: 99.5, launchedOn: date('2022-04-11')}),
(s_fleet:Service {name: 'fleet-tracker', tier: 1, language: 'Go', monthlyCostUsd: 6690, repo: 'brackwater/fleet-tracker', sloPct: 99.9, launchedOn: date('2018-07-23')}),
(s_geo:Service {name: 'geocoder', tier: 2, language: 'Rust', monthlyCostUsd: 1540, repo: 'brackwater/geocoder', launchedOn: date('2021-08-30')}),
(s_portal:Service {name: 'customer-portal', tier: 2, language: 'TypeScript', monthlyCostUsd: 2480, repo: 'brackwater/customer-portal', sloPct: 99.9, launchedOn: date('2020-02-03')}),
(s_driver:Service {name: 'driver-app-backend', tier: 1, language: 'TypeScript', monthlyCostUsd: 3625, repo: 'brackwater/driver-app', sloPct: 99.9, launchedOn: date('2021-06-14')}),
(s_search:Service {name: 'parcel-search', tier: 3, language: 'Java', monthlyCostUsd: 2990, repo: 'brackwater/parcel-search', launchedOn: date('2022-11-21')}),
(s_ingest:Service {name: 'event-ingest', tier: 2, language: 'Go', monthlyCostUsd: 4405, repo: 'brackwater/event-ingest', sloPct: 99.5, launchedOn: date('2020-12-01')}),
(s_report:Service {name: 'report-builder', tier: 3, language: 'Python', monthlyCostUsd: 1325, repo: 'brackwater/report-builder', launchedOn: date('2021-04-19')}),
(s_feature:Service {name: 'feature-store', tier: 2, language: 'Python', repo: 'brackwater/feature-store', launchedOn: date('2023-05-15')}),
(s_vault:Service {name: 'secrets-broker', tier: 1, language: 'Go', monthlyCostUsd: 890, repo: 'brackwater/secrets-broker', sloPct: 99.99, launchedOn: date('2022-01-17')}),
(s_audit:Service {name: 'audit-trail', tier: 3, language: 'Java', monthlyCostUsd: 1715, repo: 'brackwater/audit-trail', launchedOn: date('2023-03-06')}),

// --- datastores ---
(d_orders:Database {name: 'orders-pg', engine: 'PostgreSQL', version: '14.9', sizeGb: 1250, monthlyCostUsd: 3150, encrypted: true}),
(d_ledger:Database {name: 'ledger-pg', engine: 'PostgreSQL', version: '15.4', sizeGb: 890, monthlyCostUsd: 2890, encrypted: true}),
(d_users:Database {name: 'users-pg', engine: 'PostgreSQL', version: '14.9', sizeGb: 210, monthlyCostUsd: 940, encrypted: true}),
(d_geo:Database {name: 'geo-pg', engine: 'PostgreSQL', version: '13.12', sizeGb: 460, monthlyCostUsd: 1120, encrypted: false}),
(d_sess:Database {name: 'session-cache', engine: 'Redis', version: '7.0', sizeGb: 48, monthlyCostUsd: 620}),
(d_route:Database {name: 'route-cache', engine: 'Redis', version: '6.2', sizeGb: 96, monthlyCostUsd: 1080}),
(d_fleet:Database {name: 'fleet-positions', engine: 'Cassandra', version: '4.1', sizeGb: 3400, monthlyCostUsd: 5200, encrypted: true}),
(d_search:Database {name: 'parcel-index', engine: 'OpenSearch', version: '2.11', sizeGb: 720, monthlyCostUsd: 1860, encrypted: true}),
(d_wh:Database {name: 'analytics-warehouse', engine: 'Snowflake', sizeGb: 8700, monthlyCostUsd: 11400, encrypted: true}),
(d_audit:Database {name: 'audit-archive', engine: 'DynamoDB', sizeGb: 1540, encrypted: true}),

// --- incidents ---
(i_101:Incident {ref: 'INC-101', title: 'Checkout timeouts during spring sale', severity: 'SEV1', openedAt: date('2023-03-24'), durationMin: 142, rootCause: 'connection pool exhausted'}),
(i_107:Incident {ref: 'INC-107', title: 'Expired certificate on edge', severity: 'SEV1', openedAt: date('2023-06-02'), durationMin: 67, rootCause: 'expired certificate'}),
(i_112:Incident {ref: 'INC-112', title: 'Delayed invoices', severity: 'SEV3', openedAt: date('2023-08-17'), durationMin: 1310, rootCause: 'bad deploy'}),
(i_118:Incident {ref: 'INC-118', title: 'Frankfurt zone outage', severity: 'SEV2', openedAt: date('2023-10-30'), durationMin: 205, rootCause: 'provider outage'}),
(i_123:Incident {ref: 'INC-123', title: 'Route cache eviction storm', severity: 'SEV2', openedAt: date('2023-12-11'), durationMin: 88, rootCause: 'misconfiguration'}),
(i_126:Incident {ref: 'INC-126', title: 'Login failures for drivers', severity: 'SEV1', openedAt: date('2024-01-19'), durationMin: 39, rootCause: 'bad deploy'}),
(i_131:Incident {ref: 'INC-131', title: 'Stale ETAs in Singapore', severity: 'SEV3', openedAt: date('2024-02-27'), durationMin: 480}),
(i_135:Incident {ref: 'INC-135', title: 'Ledger replication lag', severity: 'SEV2', openedAt: date('2024-04-05'), durationMin: 176, rootCause: 'schema migration'}),
(i_139:Incident {ref: 'INC-139', title: 'Search results missing parcels', severity: 'SEV3', openedAt: date('2024-05-14'), durationMin: 655, rootCause: 'bad deploy'}),
(i_142:Incident {ref: 'INC-142', title: 'Checkout errors after ledger upgrade', severity: 'SEV1', openedAt: date('2024-06-21'), durationMin: 54, rootCause: 'schema migration'})

// --- team membership and leads ---
CREATE (e_dev)-[:LEADS {since: 2019}]->(t_pay), (e_ines)-[:LEADS {since: 2021}]->(t_rt), (e_greta)-[:LEADS {since: 2020}]->(t_core),
(e_pavel)-[:LEADS {since: 2018}]->(t_dp), (e_amara)-[:LEADS {since: 2023}]->(t_cx)
CREATE (e_dev)-[:MEMBER_OF]->(t_pay), (e_ben)-[:MEMBER_OF {allocation: 1.0}]->(t_pay), (e_chloe)-[:MEMBER_OF {allocation: 1.0}]->(t_pay),
(e_greta)-[:MEMBER_OF]->(t_core), (e_hugo)-[:MEMBER_OF {allocation: 1.0}]->(t_core), (e_luca)-[:MEMBER_OF {allocation: 0.5}]->(t_core), (e_luca)-[:MEMBER_OF {allocation: 0.5}]->(t_rt),
(e_ines)-[:MEMBER_OF]->(t_rt), (e_elif)-[:MEMBER_OF {allocation: 1.0}]->(t_rt), (e_keiko)-[:MEMBER_OF {allocation: 1.0}]->(t_rt),
(e_pavel)-[:MEMBER_OF]->(t_dp), (e_nils)-[:MEMBER_OF {allocation: 1.0}]->(t_dp), (e_oona)-[:MEMBER_OF {allocation: 0.8}]->(t_dp),
(e_amara)-[:MEMBER_OF]->(t_cx), (e_finn)-[:MEMBER_OF {allocation: 1.0}]->(t_cx), (e_jack)-[:MEMBER_OF {allocation: 1.0}]->(t_cx),
(e_moira)-[:MEMBER_OF {allocation: 1.0}]->(t_sec)
CREATE (e_ben)-[:REPORTS_TO]->(e_dev), (e_chloe)-[:REPORTS_TO]->(e_ben), (e_hugo)-[:REPORTS_TO]->(e_greta), (e_luca)-[:REPORTS_TO]->(e_greta),
(e_elif)-[:REPORTS_TO]->(e_ines), (e_keiko)-[:REPORTS_TO]->(e_ines), (e_nils)-[:REPORTS_TO]->(e_pavel), (e_oona)-[:REPORTS_TO]->(e_pavel),
(e_finn)-[:REPORTS_TO]->(e_amara), (e_jack)-[:REPORTS_TO]->(e_amara), (e_moira)-[:REPORTS_TO]->(e_greta)

// --- ownership ---
CREATE (t_pay)-[:OWNS]->(s_checkout), (t_pay)-[:OWNS]->(s_ledger), (t_pay)-[:OWNS]->(s_paygw), (t_pay)-[:OWNS]->(s_invoice),
(t_core)-[:OWNS]->(s_auth), (t_core)-[:OWNS]->(s_edge), (t_core)-[:OWNS]->(s_notify),
(t_rt)-[:OWNS]->(s_route), (t_rt)-[:OWNS]->(s_eta), (t_rt)-[:OWNS]->(s_fleet), (t_rt)-[:OWNS]->(s_geo),
(t_cx)-[:OWNS]->(s_portal), (t_cx)-[:OWNS]->(s_driver), (t_cx)-[:OWNS]->(s_search),
(t_dp)-[:OWNS]->(s_ingest), (t_dp)-[:OWNS]->(s_report), (t_dp)-[:OWNS]->(s_feature), (t_dp)-[:OWNS {shared: true}]->(s_eta),
(t_sec)-[:OWNS]->(s_vault), (t_sec)-[:OWNS]->(s_audit)

// --- on-call ---
CREATE (e_ben)-[:ON_CALL_FOR {rotation: 'weekly'}]->(s_checkout), (e_chloe)-[:ON_CALL_FOR {rotation: 'weekly'}]->(s_checkout), (e_ben)-[:ON_CALL_FOR {rotation: 'weekly'}]->(s_ledger), (e_chloe)-[:ON_CALL_FOR {rotation: 'weekly'}]->(s_paygw),
(e_hugo)-[:ON_CALL_FOR {rotation: 'daily'}]->(s_edge), (e_luca)-[:ON_CALL_FOR {rotation: 'daily'}]->(s_edge), (e_hugo)-[:ON_CALL_FOR {rotation: 'weekly'}]->(s_auth), (e_hugo)-[:ON_CALL_FOR {rotation: 'weekly'}]->(s_notify),
(e_elif)-[:ON_CALL_FOR {rotation: 'weekly'}]->(s_route), (e_luca)-[:ON_CALL_FOR {rotation: 'weekly'}]->(s_route), (e_keiko)-[:ON_CALL_FOR {rotation: 'weekly'}]->(s_eta), (e_keiko)-[:ON_CALL_FOR {rotation: 'daily'}]->(s_fleet), (e_elif)-[:ON_CALL_FOR {rotation: 'daily'}]->(s_fleet),
(e_finn)-[:ON_CALL_FOR {rotation: 'weekly'}]->(s_portal), (e_finn)-[:ON_CALL_FOR {rotation: 'weekly'}]->(s_driver), (e_nils)-[:ON_CALL_FOR {rotation: 'weekly'}]->(s_ingest), (e_oona)-[:ON_CALL_FOR {rotation: 'weekly'}]->(s_report), (e_moira)-[:ON_CALL_FOR {rotation: 'weekly'}]->(s_vault)

// --- deployments ---
CREATE (s_checkout)-[:RUNS_IN {replicas: 12}]->(r_euw1), (s_checkout)-[:RUNS_IN {replicas: 6}]->(r_euc1), (s_ledger)-[:RUNS_IN {replicas: 6}]->(r_euw1), (s_ledger)-[:RUNS_IN {replicas: 4}]->(r_euc1),
(s_paygw)-[:RUNS_IN {replicas: 8}]->(r_euw1), (s_invoice)-[:RUNS_IN {replicas: 2}]->(r_euw1), (s_auth)-[:RUNS_IN {replicas: 9}]->(r_euw1), (s_auth)-[:RUNS_IN {replicas: 6}]->(r_use1), (s_auth)-[:RUNS_IN {replicas: 3}]->(r_aps),
(s_edge)-[:RUNS_IN {replicas: 10}]->(r_euw1), (s_edge)-[:RUNS_IN {replicas: 8}]->(r_euc1), (s_edge)-[:RUNS_IN {replicas: 8}]->(r_use1), (s_edge)-[:RUNS_IN {replicas: 5}]->(r_aps),
(s_notify)-[:RUNS_IN {replicas: 4}]->(r_euw1), (s_route)-[:RUNS_IN {replicas: 16}]->(r_euc1), (s_route)-[:RUNS_IN {replicas: 6}]->(r_aps), (s_eta)-[:RUNS_IN {replicas: 5}]->(r_euc1), (s_eta)-[:RUNS_IN {replicas: 4}]->(r_aps),
(s_fleet)-[:RUNS_IN {replicas: 14}]->(r_euc1), (s_fleet)-[:RUNS_IN {replicas: 7}]->(r_use1), (s_geo)-[:RUNS_IN {replicas: 3}]->(r_euc1), (s_portal)-[:RUNS_IN {replicas: 4}]->(r_euw1), (s_driver)-[:RUNS_IN {replicas: 6}]->(r_euc1), (s_driver)-[:RUNS_IN {replicas: 2}]->(r_use1),
(s_search)-[:RUNS_IN {replicas: 3}]->(r_euw1), (s_ingest)-[:RUNS_IN {replicas: 9}]->(r_euw1), (s_report)-[:RUNS_IN {replicas: 2}]->(r_ne), (s_feature)-[:RUNS_IN {replicas: 3}]->(r_euc1), (s_vault)-[:RUNS_IN {replicas: 3}]->(r_euw1), (s_audit)-[:RUNS_IN]->(r_ne)
CREATE (d_orders)-[:HOSTED_IN]->(r_euw1), (d_ledger)-[:HOSTED_IN]->(r_euw1), (d_users)-[:HOSTED_IN]->(r_euw1), (d_geo)-[:HOSTED_IN]->(r_euc1), (d_sess)-[:HOSTED_IN]->(r_euw1), (d_route)-[:HOSTED_IN]->(r_euc1),
(d_fleet)-[:HOSTED_IN]->(r_euc1), (d_search)-[:HOSTED_IN]->(r_euw1), (d_wh)-[:HOSTED_IN]->(r_ne), (d_audit)-[:HOSTED_IN]->(r_use1)

// --- dependencies ---
CREATE (s_checkout)-[:DEPENDS_ON {protocol: 'gRPC', critical: true}]->(s_paygw), (s_checkout)-[:DEPENDS_ON {protocol: 'REST', critical: true}]->(s_auth), (s_checkout)-[:DEPENDS_ON {protocol: 'Kafka', critical: false}]->(s_notify),
(s_paygw)-[:DEPENDS_ON {protocol: 'gRPC', critical: true}]->(s_ledger), (s_paygw)-[:DEPENDS_ON {protocol: 'REST', critical: true}]->(s_vault), (s_invoice)-[:DEPENDS_ON {protocol: 'Kafka', critical: true}]->(s_ledger), (s_invoice)-[:DEPENDS_ON {protocol: 'REST', critical: false}]->(s_notify),
(s_edge)-[:DEPENDS_ON {protocol: 'gRPC', critical: true}]->(s_auth), (s_auth)-[:DEPENDS_ON {protocol: 'REST', critical: true}]->(s_vault), (s_portal)-[:DEPENDS_ON {protocol: 'REST', critical: true}]->(s_edge), (s_portal)-[:DEPENDS_ON {protocol: 'REST', critical: false}]->(s_search), (s_portal)-[:DEPENDS_ON {protocol: 'REST', critical: false}]->(s_eta),
(s_driver)-[:DEPENDS_ON {protocol: 'REST', critical: true}]->(s_edge), (s_driver)-[:DEPENDS_ON {protocol: 'gRPC', critical: true}]->(s_route), (s_driver)-[:DEPENDS_ON {protocol: 'REST', critical: true}]->(s_auth), (s_route)-[:DEPENDS_ON {protocol: 'gRPC', critical: true}]->(s_geo), (s_route)-[:DEPENDS_ON {protocol: 'gRPC', critical: false}]->(s_fleet),
(s_eta)-[:DEPENDS_ON {protocol: 'gRPC', critical: true}]->(s_feature), (s_eta)-[:DEPENDS_ON {protocol: 'gRPC', critical: true}]->(s_fleet), (s_feature)-[:DEPENDS_ON {protocol: 'Kafka', critical: true}]->(s_ingest), (s_fleet)-[:DEPENDS_ON {protocol: 'Kafka', critical: false}]->(s_ingest), (s_audit)-[:DEPENDS_ON {protocol: 'Kafka'}]->(s_ingest), (s_report)-[:DEPENDS_ON {protocol: 'REST', critical: false}]->(s_auth)
CREATE (s_checkout)-[:READS_WRITES]->(d_orders), (s_ledger)-[:READS_WRITES]->(d_ledger), (s_invoice)-[:READS_FROM]->(d_ledger), (s_invoice)-[:READS_FROM]->(d_orders), (s_auth)-[:READS_WRITES]->(d_users), (s_auth)-[:READS_WRITES]->(d_sess), (s_portal)-[:READS_FROM]->(d_orders), (s_portal)-[:READS_WRITES]->(d_sess),
(s_geo)-[:READS_WRITES]->(d_geo), (s_route)-[:READS_WRITES]->(d_route), (s_route)-[:READS_FROM]->(d_geo), (s_fleet)-[:READS_WRITES]->(d_fleet), (s_eta)-[:READS_FROM]->(d_fleet), (s_search)-[:READS_WRITES]->(d_search), (s_ingest)-[:READS_WRITES]->(d_wh), (s_report)-[:READS_FROM]->(d_wh), (s_audit)-[:READS_WRITES]->(d_audit)

// --- incidents ---
CREATE (i_101)-[:AFFECTED {downtimeMin: 142}]->(s_checkout), (i_101)-[:AFFECTED {downtimeMin: 35}]->(s_paygw), (i_107)-[:AFFECTED {downtimeMin: 67}]->(s_edge), (i_107)-[:AFFECTED {downtimeMin: 60}]->(s_portal), (i_107)-[:AFFECTED {downtimeMin: 67}]->(s_driver), (i_112)-[:AFFECTED {downtimeMin: 0}]->(s_invoice),
(i_118)-[:AFFECTED {downtimeMin: 205}]->(s_route), (i_118)-[:AFFECTED {downtimeMin: 190}]->(s_fleet), (i_118)-[:AFFECTED {downtimeMin: 48}]->(s_checkout), (i_123)-[:AFFECTED {downtimeMin: 52}]->(s_route), (i_126)-[:AFFECTED {downtimeMin: 39}]->(s_auth), (i_126)-[:AFFECTED {downtimeMin: 39}]->(s_driver),
(i_131)-[:AFFECTED]->(s_eta), (i_135)-[:AFFECTED {downtimeMin: 20}]->(s_ledger), (i_139)-[:AFFECTED {downtimeMin: 0}]->(s_search), (i_142)-[:AFFECTED {downtimeMin: 54}]->(s_checkout), (i_142)-[:AFFECTED {downtimeMin: 31}]->(s_ledger)
CREATE (e_ben)-[:RESOLVED]->(i_101), (e_hugo)-[:RESOLVED]->(i_107), (e_moira)-[:RESOLVED]->(i_107), (e_chloe)-[:RESOLVED]->(i_112), (e_luca)-[:RESOLVED]->(i_118), (e_elif)-[:RESOLVED]->(i_118), (e_luca)-[:RESOLVED]->(i_123), (e_hugo)-[:RESOLVED]->(i_126), (e_keiko)-[:RESOLVED]->(i_131), (e_ben)-[:RESOLVED]->(i_135), (e_finn)-[:RESOLVED]->(i_139), (e_ben)-[:RESOLVED]->(i_142), (e_chloe)-[:RESOLVED]->(i_142);
