--
-- PostgreSQL database dump
--

-- Dumped from database version 14.12 (Debian 14.12-1.pgdg120+1)
-- Dumped by pg_dump version 14.12 (Debian 14.12-1.pgdg120+1)

-- Started on 2025-09-15 02:00:03 BST

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: boat_kind; Type: TYPE; Schema: public; Owner: marina
--

CREATE TYPE public.boat_kind AS ENUM (
    'sail',
    'motor'
);


ALTER TYPE public.boat_kind OWNER TO marina;

--
-- Name: contract_status; Type: TYPE; Schema: public; Owner: marina
--

CREATE TYPE public.contract_status AS ENUM (
    'active',
    'ended',
    'cancelled'
);


ALTER TYPE public.contract_status OWNER TO marina;

--
-- Name: job_status; Type: TYPE; Schema: public; Owner: marina
--

CREATE TYPE public.job_status AS ENUM (
    'open',
    'waiting_parts',
    'done',
    'cancelled'
);


ALTER TYPE public.job_status OWNER TO marina;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: berth_contracts; Type: TABLE; Schema: public; Owner: marina
--

CREATE TABLE public.berth_contracts (
    contract_id integer NOT NULL,
    boat_id integer NOT NULL,
    berth_no character varying(4) NOT NULL,
    start_dt date NOT NULL,
    end_dt date,
    fee_gbp numeric(9,2),
    status public.contract_status,
    pay_freq character varying(10),
    paid_on date
);


ALTER TABLE public.berth_contracts OWNER TO marina;

--
-- Name: berths; Type: TABLE; Schema: public; Owner: marina
--

CREATE TABLE public.berths (
    berth_no character varying(4) NOT NULL,
    pontoon character(1) NOT NULL,
    max_loa_m numeric(5,2),
    max_draft_m numeric(4,2),
    shore_pwr_amps smallint,
    use_type character varying(12) DEFAULT 'annual'::character varying
);


ALTER TABLE public.berths OWNER TO marina;

--
-- Name: boats; Type: TABLE; Schema: public; Owner: marina
--

CREATE TABLE public.boats (
    boat_id integer NOT NULL,
    boat_name character varying(60) NOT NULL,
    hull_type public.boat_kind,
    make_model character varying(60),
    loa_m numeric(5,2),
    beam_m numeric(4,2),
    draft_m numeric(4,2),
    built_yr smallint,
    fuel_type character varying(8),
    owner_id integer,
    ins_expiry date
);


ALTER TABLE public.boats OWNER TO marina;

--
-- Name: engineers; Type: TABLE; Schema: public; Owner: marina
--

CREATE TABLE public.engineers (
    eng_code character(3) NOT NULL,
    full_name character varying(60),
    trade character varying(30),
    hourly_rate numeric(6,2),
    joined date,
    left_on date
);


ALTER TABLE public.engineers OWNER TO marina;

--
-- Name: fuel_sales; Type: TABLE; Schema: public; Owner: marina
--

CREATE TABLE public.fuel_sales (
    sale_id integer NOT NULL,
    boat_id integer,
    fuel_type character varying(8),
    litres numeric(7,1),
    price_per_l numeric(6,3),
    sold_at timestamp with time zone,
    pay_method character varying(10)
);


ALTER TABLE public.fuel_sales OWNER TO marina;

--
-- Name: jobs; Type: TABLE; Schema: public; Owner: marina
--

CREATE TABLE public.jobs (
    job_no integer NOT NULL,
    boat_id integer,
    eng_code character(3),
    job_desc text,
    opened date,
    finished date,
    labour_hrs numeric(6,2),
    parts_cost numeric(9,2),
    status public.job_status,
    notes text
);


ALTER TABLE public.jobs OWNER TO marina;

--
-- Name: owners; Type: TABLE; Schema: public; Owner: marina
--

CREATE TABLE public.owners (
    owner_id integer NOT NULL,
    full_name character varying(80) NOT NULL,
    home_town character varying(40),
    mobile character varying(20),
    email character varying(80),
    customer_since date,
    newsletter boolean DEFAULT false,
    remarks text
);


ALTER TABLE public.owners OWNER TO marina;

--
-- Name: visitor_stays; Type: TABLE; Schema: public; Owner: marina
--

CREATE TABLE public.visitor_stays (
    stay_id integer NOT NULL,
    vessel_name character varying(60),
    home_port character varying(40),
    loa_m numeric(5,2),
    berth_no character varying(4),
    arrived date,
    departed date,
    charge_gbp numeric(8,2),
    shore_pwr boolean
);


ALTER TABLE public.visitor_stays OWNER TO marina;

--
-- Name: fuel_sales_sale_id_seq; Type: SEQUENCE; Schema: public; Owner: marina
--

CREATE SEQUENCE public.fuel_sales_sale_id_seq
    START WITH 90001
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER TABLE public.fuel_sales_sale_id_seq OWNER TO marina;

--
-- Name: fuel_sales_sale_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: marina
--

ALTER SEQUENCE public.fuel_sales_sale_id_seq OWNED BY public.fuel_sales.sale_id;


--
-- Name: fuel_sales sale_id; Type: DEFAULT; Schema: public; Owner: marina
--

ALTER TABLE ONLY public.fuel_sales ALTER COLUMN sale_id SET DEFAULT nextval('public.fuel_sales_sale_id_seq'::regclass);


--
-- Data for Name: berth_contracts; Type: TABLE DATA; Schema: public; Owner: marina
--

COPY public.berth_contracts (contract_id, boat_id, berth_no, start_dt, end_dt, fee_gbp, status, pay_freq, paid_on) FROM stdin;
5001	101	A03	2024-04-01	2025-03-31	3653.36	ended	quarterly	2024-04-12
5002	102	B01	2024-04-01	2025-03-31	4515.08	ended	annual	2024-03-20
5003	103	A05	2024-04-01	2025-03-31	4056.97	ended	annual	2024-03-05
5004	104	B03	2024-04-01	2025-03-31	5281.62	ended	annual	2024-03-28
5005	106	C01	2024-04-01	2025-03-31	7085.10	ended	annual	2024-03-18
5006	107	A01	2024-04-01	2025-03-31	3045.85	ended	quarterly	2024-04-05
5007	108	B04	2024-04-01	2025-03-31	5094.66	ended	quarterly	2024-04-12
5008	109	A08	2024-04-01	2025-03-31	2579.82	ended	annual	2024-03-26
5009	111	B02	2024-04-01	2025-03-31	4842.26	ended	annual	2024-03-24
5010	113	C04	2024-04-01	2025-03-31	6602.02	ended	annual	2024-04-01
5011	114	A02	2024-04-01	2025-03-31	2792.03	ended	annual	2024-03-17
5012	120	A06	2024-04-01	2025-03-31	3012.56	ended	quarterly	2024-03-25
5013	118	B06	2024-04-01	2025-03-31	5389.12	ended	annual	2024-03-11
5014	123	A07	2024-04-01	2025-03-31	3536.85	ended	annual	2024-03-24
5015	119	C05	2024-04-01	2025-03-31	7460.82	ended	annual	2024-04-07
5016	121	C06	2024-04-01	2025-03-31	6548.35	ended	quarterly	2024-03-20
5017	116	A04	2024-04-01	2025-03-31	3657.52	ended	annual	2024-03-26
5018	101	A03	2025-04-01	2026-03-31	3845.64	active	annual	2025-03-26
5019	102	B01	2025-04-01	2026-03-31	4752.72	active	annual	2025-04-02
5020	103	B02	2025-04-01	2026-03-31	4797.00	active	annual	2025-05-07
5021	104	B03	2025-04-01	2026-03-31	5559.60	active	quarterly	2025-03-30
5022	105	A04	2025-04-01	2026-03-31	3871.92	active	quarterly	2025-04-23
5023	106	C01	2025-04-01	2026-03-31	7458.00	active	annual	2025-03-21
5024	107	A01	2025-04-01	2026-03-31	3206.16	active	annual	2025-04-19
5025	108	B04	2025-04-01	2026-03-31	5362.80	active	annual	2025-03-30
5026	109	A08	2025-04-01	2026-03-31	2715.60	active	quarterly	2025-04-02
5027	110	B05	2025-04-01	2026-03-31	5097.12	active	annual	2025-03-29
5028	111	A05	2025-04-01	2026-03-31	4537.68	active	annual	\N
5029	112	C02	2025-04-01	2026-03-31	6412.75	active	annual	2025-04-02
5030	113	C03	2025-04-01	2026-03-31	6949.50	active	annual	2025-04-12
5031	114	A02	2025-04-01	2026-03-31	2938.98	active	annual	\N
5032	115	A09	2025-06-01	2026-03-31	2956.50	active	annual	2025-06-12
5033	116	A06	2025-04-01	2026-03-31	3850.02	active	annual	2025-04-04
5034	117	A07	2025-06-01	2026-03-31	2774.00	active	annual	2025-06-04
5035	118	B06	2025-04-01	2026-03-31	5672.76	active	annual	2025-03-27
5036	119	C05	2025-04-01	2026-03-31	7853.50	active	annual	\N
5037	121	C06	2025-04-01	2026-03-31	6893.00	active	quarterly	2025-04-19
5038	122	B07	2025-06-01	2026-03-31	3936.00	active	annual	2025-06-08
5039	125	B08	2025-04-01	2026-03-31	5293.92	active	annual	2025-05-03
5040	120	A07	2025-04-01	2025-05-15	350.00	cancelled	annual	\N
\.


--
-- Data for Name: berths; Type: TABLE DATA; Schema: public; Owner: marina
--

COPY public.berths (berth_no, pontoon, max_loa_m, max_draft_m, shore_pwr_amps, use_type) FROM stdin;
A01	A	9.00	1.60	\N	annual
A02	A	9.00	1.60	\N	annual
A03	A	9.00	1.60	32	annual
A04	A	9.00	1.60	32	annual
A05	A	9.00	1.60	32	annual
A06	A	9.00	1.60	32	annual
A07	A	9.00	1.60	32	annual
A08	A	8.00	1.60	32	annual
A09	A	8.00	1.60	32	annual
B01	B	11.50	1.90	32	annual
B02	B	11.50	1.90	32	annual
B03	B	11.50	1.90	32	annual
B04	B	11.50	1.90	32	annual
B05	B	11.50	1.90	32	annual
B06	B	11.50	1.90	32	annual
B07	B	11.50	1.90	32	annual
B08	B	11.50	1.90	32	annual
B09	B	11.50	1.90	32	out_of_use
C01	C	14.00	2.30	32	annual
C02	C	14.00	2.30	32	annual
C03	C	14.00	2.30	32	annual
C04	C	14.00	2.30	32	annual
C05	C	14.00	2.30	32	annual
C06	C	14.00	2.30	32	annual
C07	C	14.00	2.30	32	annual
C08	C	14.00	2.30	32	annual
V01	V	18.00	2.60	16	visitor
V02	V	18.00	2.60	16	visitor
V03	V	18.00	2.60	16	visitor
\.


--
-- Data for Name: boats; Type: TABLE DATA; Schema: public; Owner: marina
--

COPY public.boats (boat_id, boat_name, hull_type, make_model, loa_m, beam_m, draft_m, built_yr, fuel_type, owner_id, ins_expiry) FROM stdin;
101	Kittiwake	sail	Westerly Konsort	8.78	3.28	0.98	1981	diesel	3	2026-03-31
102	Second Wind	sail	Beneteau Oceanis 31	9.66	3.39	1.85	2011	diesel	1	2025-11-30
103	Marguerite	sail	Contessa 32	9.75	2.90	1.68	1978	diesel	2	2025-05-31
104	Havsula	sail	Hallberg-Rassy 36	11.30	3.56	1.85	2003	diesel	4	2026-02-28
105	Lazy Otter	motor	Broom 29	8.84	3.20	0.90	1999	diesel	5	2025-12-31
106	Saltmarsh Lady	motor	Princess 42	13.20	4.10	1.12	2006	diesel	6	2026-04-30
107	Pengelly	sail	Cornish Crabber 24	7.32	2.44	0.74	1992	diesel	7	2025-10-31
108	Chandra	motor	Sealine S34	10.90	3.38	0.95	2004	petrol	8	2025-07-31
109	Compo	motor	Orkney Pilothouse 20	6.20	2.30	0.50	2010	petrol	9	2026-01-31
110	Silver Darling	sail	Moody 346	10.36	3.51	1.45	1988	diesel	10	2025-12-31
111	Grey Heron	sail	Rival 34	10.36	2.97	1.40	1976	diesel	11	2025-06-30
112	Saudade	sail	Bavaria 37	11.35	3.82	1.95	2006	diesel	12	2026-05-31
113	Black Prince	motor	Sunseeker Portofino 40	12.30	3.70	1.10	2009	diesel	13	2026-03-31
114	Tamar Rose	sail	Hurley 22	6.71	2.26	1.14	1972	\N	14	2025-04-30
115	Ayo	motor	Bayliner 2655	8.10	2.60	0.90	2005	petrol	15	2026-02-28
116	Selkie	sail	Sadler 29	8.79	2.90	1.57	1984	diesel	16	2026-04-30
117	Cormorant	motor	Hardy 25	7.60	2.80	0.80	1996	diesel	16	2026-04-30
118	Minerva	sail	Sigma 38	11.53	3.76	1.98	1987	diesel	17	2025-10-31
119	Plymouth Sound	motor	Fairline Targa 43	13.90	3.96	1.00	2001	diesel	18	2025-12-31
120	Hullabaloo	sail	Achilles 24	7.24	2.13	1.22	1975	petrol	19	2025-09-30
121	Florence N	sail	Jeanneau Sun Odyssey 40	12.20	3.99	1.95	2000	diesel	20	2026-06-30
122	Edelweiss	sail	Dehler 32	9.60	3.25	1.65	2010	diesel	21	2026-01-31
123	Old Purk	motor	Colvic Watson 28	8.50	3.05	0.95	1979	diesel	22	2025-08-31
124	Wee Gem	motor	Shetland 535	5.35	2.10	0.40	1990	petrol	22	2025-08-31
125	Ardent	sail	Nicholson 35	10.76	3.18	1.68	1974	diesel	23	2026-07-31
126	Jolly Vosper	motor	Zodiac Medline RIB	6.10	2.50	0.50	2018	petrol	18	2025-12-31
127	Blue Jacket	sail	Dufour 34	10.35	3.49	1.90	2005	diesel	1	\N
\.


--
-- Data for Name: engineers; Type: TABLE DATA; Schema: public; Owner: marina
--

COPY public.engineers (eng_code, full_name, trade, hourly_rate, joined, left_on) FROM stdin;
e01	Bill Treloar	engines	58.00	2008-03-03	\N
e02	Sunniva Dahl	rigging	56.00	2017-05-15	\N
e03	Kev Maddocks	engines	52.00	2021-01-11	\N
e04	Ottoline Frayne	electronics	60.00	2019-08-19	\N
e05	Graham Spurr	hull & GRP	50.00	2013-10-07	2024-10-31
e06	Danny Loosemore	apprentice	28.00	2025-07-07	\N
\.


--
-- Data for Name: fuel_sales; Type: TABLE DATA; Schema: public; Owner: marina
--

COPY public.fuel_sales (sale_id, boat_id, fuel_type, litres, price_per_l, sold_at, pay_method) FROM stdin;
90001	113	diesel	425.6	1.390	2024-04-09 18:17:00+00	card
90002	104	diesel	58.5	1.390	2024-04-14 09:02:00+00	account
90003	124	petrol	28.2	1.720	2024-04-22 08:50:00+00	card
90004	119	diesel	429.8	1.390	2024-04-29 12:13:00+00	card
90005	123	diesel	107.1	1.390	2024-04-30 13:07:00+00	card
90006	116	diesel	66.8	1.390	2024-05-10 08:22:00+00	account
90007	106	diesel	465.0	1.390	2024-05-11 15:14:00+00	cash
90008	121	diesel	32.9	1.390	2024-05-16 13:34:00+00	card
90009	106	diesel	233.8	1.390	2024-05-23 18:12:00+00	card
90010	106	diesel	427.9	1.390	2024-05-31 18:29:00+00	card
90011	104	diesel	57.6	1.390	2024-06-03 10:39:00+00	card
90012	112	diesel	67.4	1.390	2024-06-13 09:21:00+00	card
90013	113	diesel	397.6	1.390	2024-06-17 15:03:00+00	card
90014	119	diesel	296.3	1.390	2024-06-18 11:46:00+00	cash
90015	108	petrol	127.2	1.720	2024-06-29 17:05:00+00	card
90016	113	diesel	369.4	1.390	2024-07-09 14:54:00+00	card
90017	109	petrol	50.1	1.720	2024-07-20 09:58:00+00	account
90018	110	diesel	35.5	1.390	2024-07-23 16:52:00+00	cash
90019	124	petrol	20.3	1.720	2024-08-02 18:45:00+00	card
90020	121	diesel	44.7	1.390	2024-08-08 16:25:00+00	card
90021	109	petrol	47.4	1.720	2024-08-16 14:56:00+00	card
90022	116	diesel	62.2	1.390	2024-08-25 11:43:00+00	account
90023	113	diesel	223.5	1.390	2024-09-01 14:35:00+00	card
90024	110	diesel	54.1	1.390	2024-09-13 10:29:00+00	account
90025	105	diesel	83.7	1.390	2024-09-22 09:34:00+00	cash
90026	126	petrol	51.9	1.720	2024-09-27 09:59:00+00	cash
90027	117	diesel	93.3	1.390	2024-10-07 18:22:00+00	account
90028	103	diesel	39.6	1.390	2024-10-15 13:16:00+00	account
90029	111	diesel	38.4	1.390	2024-10-22 13:06:00+00	account
90030	106	diesel	421.9	1.390	2024-10-27 14:05:00+00	account
90031	109	petrol	53.1	1.720	2024-10-31 10:27:00+00	account
90032	119	diesel	517.2	1.390	2024-11-06 12:03:00+00	cash
90033	120	petrol	64.5	1.720	2024-12-01 12:33:00+00	card
90034	117	diesel	106.9	1.460	2025-01-11 12:44:00+00	cash
90035	113	diesel	335.3	1.460	2025-01-20 17:48:00+00	cash
90036	117	diesel	87.5	1.460	2025-02-25 17:33:00+00	card
90037	116	diesel	55.8	1.460	2025-03-07 12:46:00+00	card
90038	119	diesel	396.8	1.460	2025-03-12 17:23:00+00	card
90039	112	diesel	28.5	1.460	2025-03-21 13:44:00+00	card
90040	123	diesel	76.3	1.460	2025-03-24 13:28:00+00	account
90041	121	diesel	41.7	1.460	2025-03-29 15:58:00+00	account
90042	113	diesel	202.2	1.460	2025-04-03 08:23:00+00	card
90043	102	diesel	65.7	1.460	2025-04-07 15:37:00+00	card
90044	106	diesel	318.9	1.460	2025-04-15 18:22:00+00	card
90045	113	diesel	377.4	1.460	2025-04-19 09:55:00+00	card
90046	113	diesel	284.8	1.460	2025-04-25 12:38:00+00	cash
90047	106	diesel	408.0	1.460	2025-05-02 14:20:00+00	card
90048	\N	diesel	60.6	1.460	2025-05-05 12:15:00+00	card
90049	\N	diesel	133.8	1.460	2025-05-09 10:15:00+00	card
90050	119	diesel	341.5	1.460	2025-05-11 11:21:00+00	cash
90051	\N	diesel	112.2	1.460	2025-05-16 10:54:00+00	card
90052	112	diesel	30.8	1.460	2025-05-20 11:54:00+00	card
90053	113	diesel	322.5	1.460	2025-05-30 17:14:00+00	cash
90054	\N	diesel	92.7	1.460	2025-06-03 13:42:00+00	card
90055	115	petrol	114.7	1.780	2025-06-07 17:37:00+00	account
90056	\N	diesel	87.4	1.460	2025-06-14 11:41:00+00	card
90057	124	petrol	23.3	1.780	2025-06-14 17:12:00+00	card
90058	109	petrol	42.5	1.780	2025-06-18 14:58:00+00	account
90059	106	diesel	451.7	1.460	2025-06-23 10:10:00+00	card
90060	115	petrol	124.3	1.780	2025-07-04 08:23:00+00	card
90061	103	diesel	33.8	1.460	2025-07-12 18:11:00+00	cash
90062	106	diesel	266.3	1.460	2025-07-15 11:48:00+00	account
90063	124	petrol	26.4	1.780	2025-07-16 13:35:00+00	card
90064	113	diesel	203.5	1.460	2025-07-17 10:31:00+00	account
90065	109	petrol	34.8	1.780	2025-07-22 11:13:00+00	card
90066	\N	diesel	50.2	1.460	2025-07-24 10:01:00+00	card
90067	111	diesel	44.4	1.460	2025-07-29 14:32:00+00	cash
90068	104	diesel	56.1	1.460	2025-07-30 13:49:00+00	card
90069	\N	diesel	93.2	1.460	2025-07-30 16:11:00+00	card
90070	104	diesel	45.6	1.460	2025-08-07 15:31:00+00	card
90071	113	diesel	393.7	1.460	2025-08-13 17:47:00+00	card
90072	113	diesel	226.1	1.460	2025-08-31 09:57:00+00	card
\.


--
-- Data for Name: jobs; Type: TABLE DATA; Schema: public; Owner: marina
--

COPY public.jobs (job_no, boat_id, eng_code, job_desc, opened, finished, labour_hrs, parts_cost, status, notes) FROM stdin;
7001	116	e02	replace standing rigging	2024-03-18	2024-04-03	18.00	1508.45	done	\N
7002	112	e01	fuel pump	2024-04-01	2024-04-05	4.00	166.74	done	\N
7003	110	e02	replace standing rigging	2024-04-08	2024-04-17	19.50	1094.12	done	\N
7004	107	e03	shaft seal	2024-04-22	2024-05-01	3.75	174.59	done	\N
7005	111	e02	mast step & re-wire	2024-04-30	2024-05-09	4.75	183.57	done	\N
7006	116	e03	shaft seal	2024-05-06	2024-05-10	5.50	189.27	done	\N
7007	116	e04	chart plotter	2024-05-21	2024-06-04	2.25	1112.24	done	\N
7008	105	e03	shaft seal	2024-06-04	2024-06-16	5.50	148.12	done	\N
7009	101	e03	shaft seal	2024-06-12	2024-06-28	3.50	107.67	done	\N
7010	112	e01	engine service	2024-06-18	2024-06-20	3.00	185.08	done	\N
7011	110	e04	VHF / AIS install	2024-06-24	2024-07-01	3.25	257.56	done	\N
7012	119	e04	chart plotter	2024-07-01	2024-07-07	2.00	545.73	done	\N
7013	112	e02	replace standing rigging	2024-07-15	2024-07-17	21.00	1212.96	done	\N
7014	104	e03	shaft seal	2024-07-29	2024-08-10	3.50	95.76	done	\N
7015	108	e04	VHF / AIS install	2024-08-05	2024-08-18	3.00	396.27	done	\N
7016	121	e03	shaft seal	2024-08-21	2024-08-23	3.25	178.94	done	\N
7017	117	e04	chart plotter	2024-08-28	2024-09-13	2.50	1073.83	done	\N
7018	125	e01	fuel pump	2024-09-05	2024-09-18	3.50	216.95	done	\N
7019	111	e05	osmosis repair	2024-09-23	2024-09-27	21.50	705.77	done	\N
7020	120	e02	replace standing rigging	2024-10-04	2024-10-20	17.25	753.48	done	\N
7021	111	e02	replace standing rigging	2024-10-16	2024-10-24	19.75	1175.20	done	\N
7022	114	e03	antifoul & anodes	2024-10-31	2024-11-11	7.75	171.03	done	\N
7023	118	e03	shaft seal	2024-11-15	2024-11-25	4.75	84.41	done	\N
7024	105	e01	engine service	2024-11-18	\N	0.00	0.00	cancelled	Owner did it himself
7025	101	e01	engine service	2024-11-27	2024-12-13	3.50	166.10	done	\N
7026	113	e01	engine service	2024-12-09	2024-12-26	3.00	148.86	done	\N
7027	113	e03	antifoul & anodes	2024-12-20	2024-12-26	5.50	176.41	done	\N
7028	113	e03	winter lay-up	2024-12-27	2025-01-14	3.75	81.61	done	\N
7029	121	e02	mast step & re-wire	2025-01-06	2025-01-15	7.00	194.77	done	\N
7030	127	e02	replace standing rigging	2025-01-20	2025-01-27	20.00	879.01	done	\N
7031	107	e02	replace standing rigging	2025-01-27	2025-01-30	19.75	1786.33	done	\N
7032	110	e03	shaft seal	2025-02-06	2025-02-18	4.75	159.95	done	\N
7033	101	e03	winter lay-up	2025-02-21	2025-02-28	3.25	52.59	done	\N
7034	121	e03	winter lay-up	2025-03-04	2025-03-19	3.50	48.43	done	\N
7035	107	e04	chart plotter	2025-03-11	2025-03-13	2.00	1183.89	done	\N
7036	106	e01	engine service	2025-03-27	2025-04-10	3.25	126.16	done	\N
7037	119	e03	antifoul & anodes	2025-04-14	2025-04-17	6.25	208.21	done	\N
7038	111	e01	gearbox rebuild	2025-04-14	\N	6.50	0.00	waiting_parts	Hurth parts on back order from Germany
7039	110	e04	battery bank	2025-04-29	2025-05-10	3.00	612.50	done	\N
7040	123	e03	stern gland	2025-05-06	2025-05-09	3.50	88.40	done	\N
7041	118	e02	mast step & re-wire	2025-05-12	2025-05-30	4.75	257.42	done	\N
7042	104	e02	replace standing rigging	2025-05-26	2025-06-05	18.00	665.57	done	\N
7043	106	e01	turbo replacement	2025-06-02	2025-06-19	14.00	2310.00	done	Port engine
7044	122	e02	mast step & re-wire	2025-06-09	2025-06-21	5.75	133.61	done	\N
7045	114	e03	hull polish	2025-06-17	2025-06-22	3.50	69.69	done	\N
7046	118	e02	replace forestay	2025-06-23	2025-06-27	6.00	545.20	done	\N
7047	110	e03	hull polish	2025-07-02	2025-07-06	2.75	73.73	done	\N
7048	123	e02	osmosis repair	2025-07-16	2025-07-19	23.00	848.86	done	\N
7049	106	e04	radar fault	2025-07-21	2025-07-23	2.50	64.90	done	\N
7050	109	e04	battery bank	2025-07-31	2025-08-04	3.50	658.36	done	\N
7051	113	e01	outdrive service	2025-08-04	2025-08-15	7.50	684.00	done	\N
7052	121	e04	autopilot fault	2025-08-12	\N	1.50	0.00	waiting_parts	Raymarine drive unit ordered
7053	117	e03	exhaust elbow	2025-08-27	\N	2.00	143.50	open	\N
7054	104	e02	furling gear	2025-09-04	\N	0.00	0.00	open	Wait for e-mail from owner
\.


--
-- Data for Name: owners; Type: TABLE DATA; Schema: public; Owner: marina
--

COPY public.owners (owner_id, full_name, home_town, mobile, email, customer_since, newsletter, remarks) FROM stdin;
1	Nigel Hargreave	Lymington	\N	nigel.hargreave@post.example	2011-12-14	f	\N
2	Anoush Petrossian	Southampton	\N	anoush.petrossian@post.example	2019-01-02	f	\N
3	Jowan Kitto	Falmouth	+44 7700 901662	jowan.kitto@post.example	2011-10-21	f	Pays by standing order
4	Elsa Lindqvist	Gothenburg	+44 7700 908797	elsa.lindqvist@post.example	2016-06-11	t	Winters abroad, call only by e-mail
5	Martin Beddoes	Winchester	+44 7700 903907	martin.beddoes@post.example	2022-05-09	f	\N
6	Saskia Achterberg	Bristol	+44 7700 908833	saskia.achterberg@post.example	2022-03-31	f	\N
7	Rose Trelawny	Falmouth	+44 7700 907555	rose.trelawny@post.example	2016-01-11	f	\N
8	Arjun Mukherjee	Reading	+44 7700 902319	arjun.mukherjee@post.example	2012-11-19	f	\N
9	Peter Sallis	Lymington	+44 7700 905964	peter.sallis@post.example	2009-10-25	f	\N
10	Wendy Coombe	Exeter	+44 7700 903403	\N	2021-09-25	f	\N
11	Hugh Fothergill	Guildford	+44 7700 909021	hugh.fothergill@post.example	2022-08-10	t	Disputes fuel invoice from Aug 2024
12	Inês Dacosta	London	+44 7700 909459	ines.dacosta@post.example	2023-08-19	t	\N
13	Tom Ravenhill	Southampton	+44 7700 904846	\N	2009-11-21	t	\N
14	Barbara Yelland	Plymouth	+44 7700 906129	barbara.yelland@post.example	2015-04-06	f	\N
15	Femi Oyelaran	London	+44 7700 906754	femi.oyelaran@post.example	2023-11-01	f	\N
16	Moira Strang	Bristol	+44 7700 904722	moira.strang@post.example	2022-04-20	f	Has key to chandlery store
17	James Quiller	Winchester	+44 7700 904271	james.quiller@post.example	2012-09-23	t	\N
18	Alan Vosper	Plymouth	+44 7700 905299	alan.vosper@post.example	2016-06-13	t	\N
19	Celia Whitmarsh	Exeter	\N	\N	2020-06-02	t	\N
20	Owen Nightingale	Reading	+44 7700 902849	owen.nightingale@post.example	2018-06-05	t	\N
21	Katrin Zeller	Bath	+44 7700 906885	katrin.zeller@post.example	2015-01-16	f	\N
22	Ron Purkiss	Lymington	\N	ron.purkiss@post.example	2017-11-14	t	\N
23	Fiona Abernethy	Bath	+44 7700 905040	fiona.abernethy@post.example	2021-07-06	f	\N
24	Stuart Galloway	Poole	+44 7700 902806	stuart.galloway@post.example	2011-01-25	t	Sold his boat in 2023, keep on mailing list
\.


--
-- Data for Name: visitor_stays; Type: TABLE DATA; Schema: public; Owner: marina
--

COPY public.visitor_stays (stay_id, vessel_name, home_port, loa_m, berth_no, arrived, departed, charge_gbp, shore_pwr) FROM stdin;
1	Sea Thrift	Poole	9.80	V03	2025-05-13	2025-05-15	62.72	t
2	Morgenster	Vlissingen	12.40	V01	2025-05-21	2025-05-24	119.04	f
3	Ti Breizh	Roscoff	8.20	V01	2025-06-01	2025-06-03	52.48	f
4	Aurora of Cowes	Cowes	15.60	V03	2025-06-10	2025-06-13	149.76	t
5	Puffin	Weymouth	7.40	V01	2025-06-14	2025-06-15	23.68	t
6	Windhover	Dartmouth	11.10	V01	2025-06-20	2025-06-25	177.60	f
7	Nordlys	Bergen	13.80	V02	2025-06-25	2025-07-01	264.96	t
8	Bonny Lass	Brixham	10.30	V03	2025-06-30	2025-07-04	131.84	f
9	L'Hirondelle	Cherbourg	9.10	V03	2025-07-09	2025-07-10	29.12	t
10	Sea Thrift	Poole	9.80	V02	2025-07-17	2025-07-23	188.16	t
11	Quicksilver	Gosport	8.90	V03	2025-07-22	2025-07-23	28.48	t
12	Morgenster	Vlissingen	12.40	V02	2025-07-26	2025-07-30	158.72	t
13	Gannet	Salcombe	10.70	V03	2025-08-06	2025-08-09	102.72	f
14	Boadicea	Ipswich	16.90	V02	2025-08-14	2025-08-19	270.40	t
\.


--
-- Name: fuel_sales_sale_id_seq; Type: SEQUENCE SET; Schema: public; Owner: marina
--

SELECT pg_catalog.setval('public.fuel_sales_sale_id_seq', 90072, true);


--
-- Name: berth_contracts berth_contracts_pkey; Type: CONSTRAINT; Schema: public; Owner: marina
--

ALTER TABLE ONLY public.berth_contracts
    ADD CONSTRAINT berth_contracts_pkey PRIMARY KEY (contract_id);


--
-- Name: berths berths_pkey; Type: CONSTRAINT; Schema: public; Owner: marina
--

ALTER TABLE ONLY public.berths
    ADD CONSTRAINT berths_pkey PRIMARY KEY (berth_no);


--
-- Name: boats boats_pkey; Type: CONSTRAINT; Schema: public; Owner: marina
--

ALTER TABLE ONLY public.boats
    ADD CONSTRAINT boats_pkey PRIMARY KEY (boat_id);


--
-- Name: engineers engineers_pkey; Type: CONSTRAINT; Schema: public; Owner: marina
--

ALTER TABLE ONLY public.engineers
    ADD CONSTRAINT engineers_pkey PRIMARY KEY (eng_code);


--
-- Name: fuel_sales fuel_sales_pkey; Type: CONSTRAINT; Schema: public; Owner: marina
--

ALTER TABLE ONLY public.fuel_sales
    ADD CONSTRAINT fuel_sales_pkey PRIMARY KEY (sale_id);


--
-- Name: jobs jobs_pkey; Type: CONSTRAINT; Schema: public; Owner: marina
--

ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (job_no);


--
-- Name: owners owners_pkey; Type: CONSTRAINT; Schema: public; Owner: marina
--

ALTER TABLE ONLY public.owners
    ADD CONSTRAINT owners_pkey PRIMARY KEY (owner_id);


--
-- Name: visitor_stays visitor_stays_pkey; Type: CONSTRAINT; Schema: public; Owner: marina
--

ALTER TABLE ONLY public.visitor_stays
    ADD CONSTRAINT visitor_stays_pkey PRIMARY KEY (stay_id);


--
-- Name: idx_fuel_sales_sold_at; Type: INDEX; Schema: public; Owner: marina
--

CREATE INDEX idx_fuel_sales_sold_at ON public.fuel_sales USING btree (sold_at);


--
-- Name: berth_contracts berth_contracts_berth_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: marina
--

ALTER TABLE ONLY public.berth_contracts
    ADD CONSTRAINT berth_contracts_berth_no_fkey FOREIGN KEY (berth_no) REFERENCES public.berths(berth_no);


--
-- Name: berth_contracts berth_contracts_boat_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: marina
--

ALTER TABLE ONLY public.berth_contracts
    ADD CONSTRAINT berth_contracts_boat_id_fkey FOREIGN KEY (boat_id) REFERENCES public.boats(boat_id);


--
-- Name: boats boats_owner_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: marina
--

ALTER TABLE ONLY public.boats
    ADD CONSTRAINT boats_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES public.owners(owner_id);


--
-- Name: fuel_sales fuel_sales_boat_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: marina
--

ALTER TABLE ONLY public.fuel_sales
    ADD CONSTRAINT fuel_sales_boat_id_fkey FOREIGN KEY (boat_id) REFERENCES public.boats(boat_id);


--
-- Name: jobs jobs_boat_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: marina
--

ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_boat_id_fkey FOREIGN KEY (boat_id) REFERENCES public.boats(boat_id);


--
-- Name: jobs jobs_eng_code_fkey; Type: FK CONSTRAINT; Schema: public; Owner: marina
--

ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_eng_code_fkey FOREIGN KEY (eng_code) REFERENCES public.engineers(eng_code);


--
-- Name: visitor_stays visitor_stays_berth_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: marina
--

ALTER TABLE ONLY public.visitor_stays
    ADD CONSTRAINT visitor_stays_berth_no_fkey FOREIGN KEY (berth_no) REFERENCES public.berths(berth_no);


-- Completed on 2025-09-15 02:00:04 BST

--
-- PostgreSQL database dump complete
--

