--
-- PostgreSQL database dump
--

-- Dumped from database version 15.6
-- Dumped by pg_dump version 15.6

SET statement_timeout = 0;
SET lock_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET client_min_messages = warning;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: customer; Type: TABLE; Schema: public; Owner: hiredesk
--

CREATE TABLE public.customer (
    cust_id integer NOT NULL,
    company character varying(80) NOT NULL,
    contact character varying(60),
    phone character varying(20),
    town character varying(40),
    credit_limit numeric(10,2),
    opened_on date,
    on_stop boolean DEFAULT false NOT NULL
);


ALTER TABLE public.customer OWNER TO hiredesk;

--
-- Name: hire; Type: TABLE; Schema: public; Owner: hiredesk
--

CREATE TABLE public.hire (
    hire_no integer NOT NULL,
    cust_id integer NOT NULL,
    fleet_no character varying(8) NOT NULL,
    site_name character varying(80),
    out_on date NOT NULL,
    due_back date,
    returned_on date,
    week_rate numeric(8,2),
    booked_by integer,
    delivered_by integer,
    collected_by integer,
    po_ref character varying(20)
);


ALTER TABLE public.hire OWNER TO hiredesk;

--
-- Name: invoice; Type: TABLE; Schema: public; Owner: hiredesk
--

CREATE TABLE public.invoice (
    inv_no integer NOT NULL,
    hire_no integer NOT NULL,
    issued_on date NOT NULL,
    due_on date,
    net numeric(10,2),
    vat numeric(10,2),
    gross numeric(10,2),
    paid_on date
);


ALTER TABLE public.invoice OWNER TO hiredesk;

--
-- Name: machine; Type: TABLE; Schema: public; Owner: hiredesk
--

CREATE TABLE public.machine (
    fleet_no character varying(8) NOT NULL,
    class_code character varying(8) NOT NULL,
    make character varying(30),
    model character varying(30),
    serial_no character varying(30),
    yr smallint,
    yard character varying(20),
    hours integer,
    bought_on date,
    price numeric(10,2),
    sold_on date
);


ALTER TABLE public.machine OWNER TO hiredesk;

--
-- Name: plant_class; Type: TABLE; Schema: public; Owner: hiredesk
--

CREATE TABLE public.plant_class (
    class_code character varying(8) NOT NULL,
    description character varying(60) NOT NULL,
    family character varying(20),
    day_rate numeric(8,2),
    week_rate numeric(8,2),
    weight_kg integer
);


ALTER TABLE public.plant_class OWNER TO hiredesk;

--
-- Name: staff; Type: TABLE; Schema: public; Owner: hiredesk
--

CREATE TABLE public.staff (
    staff_id integer NOT NULL,
    full_name character varying(60) NOT NULL,
    job character varying(30),
    started date,
    left_on date,
    mobile character varying(20)
);


ALTER TABLE public.staff OWNER TO hiredesk;

--
-- Name: workshop_job; Type: TABLE; Schema: public; Owner: hiredesk
--

CREATE TABLE public.workshop_job (
    job_no character varying(8) NOT NULL,
    fleet_no character varying(8) NOT NULL,
    opened_on date NOT NULL,
    closed_on date,
    fitter_id integer,
    job_type character varying(20),
    fault text,
    labour_hrs numeric(5,1),
    parts_cost numeric(8,2)
);


ALTER TABLE public.workshop_job OWNER TO hiredesk;

--
-- Data for Name: customer; Type: TABLE DATA; Schema: public; Owner: hiredesk
--

COPY public.customer (cust_id, company, contact, phone, town, credit_limit, opened_on, on_stop) FROM stdin;
1001	Calder Groundworks Ltd	Steve Mallinson	01422 496010	Halifax	15000.00	2014-02-11	f
1004	Brightwater Homes	Louise Denham	01274 496022	Bradford	25000.00	2015-06-30	f
1007	T. Ashworth & Sons	Terry Ashworth	01535 496035	Keighley	4000.00	2016-03-08	t
1009	Pennine Surfacing	Imran Shah	01484 496041	Huddersfield	12000.00	2016-11-17	f
1012	Airedale Roofing	Kath Tordoff	01535 496058	Bingley	3000.00	2018-01-22	f
1015	Northgate Fit-Out	Ben Lister	0113 496 0062	Leeds	8000.00	2019-05-14	f
1016	Hollin Landscapes	Rachel Hollin	\N	Otley	2500.00	2019-08-05	f
1020	Kirkstall Civils	Dave Petrie	0113 496 0079	Leeds	20000.00	2020-10-01	f
1023	Moorside Developments	Angela Firth	01274 496083	Shipley	6000.00	2022-03-29	t
1025	Wharfe Valley Estates	George Pullan	01943 496090	Ilkley	\N	2023-09-12	f
1028	Spen Solar	Nadia Hussain	01274 496106	Cleckheaton	5000.00	2024-11-04	f
\.


--
-- Data for Name: hire; Type: TABLE DATA; Schema: public; Owner: hiredesk
--

COPY public.hire (hire_no, cust_id, fleet_no, site_name, out_on, due_back, returned_on, week_rate, booked_by, delivered_by, collected_by, po_ref) FROM stdin;
24118	1001	E106	Elland Bypass	2024-10-07	2024-11-04	2024-11-06	460.00	2	4	5	CG-4471
24121	1009	R203	Leeds Road Resurfacing	2024-10-14	2024-10-28	2024-10-28	255.00	2	10	5	PS/1180
24124	1012	P305	St Oswald's Church	2024-10-16	2024-10-30	2024-11-01	390.00	3	5	5	\N
24127	1004	E104	Hawthorn Rise	2024-10-21	2024-12-02	2024-12-02	270.00	2	4	4	BH20931
24130	1007	E103	Beck Lane	2024-11-04	2024-11-18	2024-11-27	225.00	3	5	4	\N
24133	1015	P301	Wellington Place	2024-11-11	2024-12-09	2024-12-09	140.00	3	6	5	NF-882
24134	1015	P302	Wellington Place	2024-11-11	2024-12-09	2024-12-09	140.00	3	6	5	NF-882
24138	1020	E108	Kirkstall Weir	2024-11-18	2025-01-13	2025-01-10	600.00	1	4	4	KC24-310
24141	1009	R201	Milnsbridge Car Park	2024-11-25	2024-12-09	2024-12-09	210.00	2	10	5	PS/1204
24145	1016	E101	Chevin Gardens	2024-12-02	2024-12-09	2024-12-10	225.00	2	10	5	\N
24149	1004	R202	Hawthorn Rise	2024-12-04	2024-12-18	2024-12-18	200.00	2	6	4	BH21007
25002	1023	E105	Otley Road	2025-01-06	2025-02-03	2025-02-05	285.00	3	5	5	MD-61
25005	1001	E102	Savile Park	2025-01-08	2025-01-22	2025-01-22	215.00	2	4	4	CG-4519
25006	1020	R204	Kirkstall Weir	2025-01-13	2025-02-10	2025-02-10	245.00	1	6	4	KC24-310
25009	1015	P304	Salts Mill Lofts	2025-01-15	2025-02-12	2025-02-14	370.00	3	6	5	NF-901
25011	1028	P305	Spen Bottoms Warehouse	2025-01-20	2025-02-03	2025-02-03	390.00	2	5	4	SS-0004
25014	1004	E107	Canal Wharf	2025-01-27	2025-03-24	\N	460.00	2	4	\N	BH21088
25015	1009	R203	Bradley Depot	2025-01-29	2025-02-12	2025-02-12	250.00	2	5	4	PS/1231
25018	1007	E101	Beck Lane	2025-02-03	2025-02-17	\N	225.00	3	5	\N	\N
25021	1012	P303	Myrtle Park Pavilion	2025-02-05	2025-02-19	2025-02-19	150.00	3	6	5	AR-77
25024	1025	E104	Burley Hall	2025-02-10	2025-02-24	2025-02-24	285.00	2	4	4	\N
25027	1001	E106	Copley Lane	2025-02-17	2025-04-14	\N	460.00	2	5	\N	CG-4560
25030	1023	R201	Otley Road	2025-02-19	2025-03-05	2025-03-07	210.00	3	5	4	MD-64
25033	1020	E108	Armley Sidings	2025-02-24	2025-04-21	\N	600.00	1	4	\N	KC25-018
25036	1028	P304	Spen Bottoms Warehouse	2025-03-03	2025-03-17	\N	380.00	2	6	\N	SS-0009
25039	1016	E102	Menston Court	2025-03-10	2025-03-24	2025-03-21	225.00	2	4	5	\N
25042	1009	R202	Crosland Moor	2025-03-12	2025-04-09	\N	205.00	3	6	\N	PS/1255
25045	1015	P301	Park Row	2025-03-17	2025-04-14	\N	140.00	3	6	\N	NF-930
\.


--
-- Data for Name: invoice; Type: TABLE DATA; Schema: public; Owner: hiredesk
--

COPY public.invoice (inv_no, hire_no, issued_on, due_on, net, vat, gross, paid_on) FROM stdin;
70551	24121	2024-10-31	2024-11-30	510.00	102.00	612.00	2024-11-27
70552	24124	2024-11-04	2024-12-04	830.00	166.00	996.00	2024-12-10
70558	24118	2024-11-08	2024-12-08	2010.00	402.00	2412.00	2024-12-06
70563	24130	2024-11-29	2024-12-29	760.00	152.00	912.00	2025-01-23
70567	24127	2024-12-04	2025-01-03	1620.00	324.00	1944.00	2024-12-30
70570	24133	2024-12-11	2025-01-10	560.00	112.00	672.00	2025-01-14
70571	24134	2024-12-11	2025-01-10	560.00	112.00	672.00	2025-01-14
70572	24141	2024-12-11	2025-01-10	420.00	84.00	504.00	2025-01-09
70574	24145	2024-12-12	2025-01-11	260.00	52.00	312.00	2025-02-03
70579	24149	2024-12-20	2025-01-19	400.00	80.00	480.00	2025-01-17
70584	24138	2025-01-13	2025-02-12	4560.00	912.00	5472.00	2025-02-11
70588	25005	2025-01-24	2025-02-23	430.00	86.00	516.00	2025-02-20
70593	25011	2025-02-05	2025-03-07	780.00	156.00	936.00	2025-03-12
70594	25002	2025-02-07	2025-03-09	1230.00	246.00	1476.00	\N
70598	25006	2025-02-12	2025-03-14	980.00	196.00	1176.00	2025-03-14
70599	25015	2025-02-14	2025-03-16	500.00	100.00	600.00	2025-03-11
70601	25009	2025-02-17	2025-03-19	1590.00	318.00	1908.00	\N
70605	25021	2025-02-21	2025-03-23	300.00	60.00	360.00	2025-03-28
70608	25024	2025-02-26	2025-03-28	570.00	114.00	684.00	2025-03-05
70611	25014	2025-02-28	2025-03-30	2070.00	414.00	2484.00	2025-03-26
70612	25018	2025-02-28	2025-03-30	812.50	162.50	975.00	\N
70617	25030	2025-03-10	2025-04-09	480.00	96.00	576.00	\N
70621	25039	2025-03-24	2025-04-23	370.00	74.00	444.00	\N
70622	25027	2025-03-31	2025-04-30	2760.00	552.00	3312.00	\N
\.


--
-- Data for Name: machine; Type: TABLE DATA; Schema: public; Owner: hiredesk
--

COPY public.machine (fleet_no, class_code, make, model, serial_no, yr, yard, hours, bought_on, price, sold_on) FROM stdin;
E101	EX015	Kubota	KX016-4	K16-61204	2018	Keighley	3412	2018-04-03	15800.00	\N
E102	EX015	Takeuchi	TB216	TK216-8841	2021	Leeds	1875	2021-03-16	17950.00	\N
E103	EX015	Kubota	KX016-4	K16-59007	2016	Keighley	4688	2016-05-24	14900.00	2025-01-17
E104	EX030	JCB	30PLUS	JC30-22910	2019	Leeds	3105	2019-02-27	28400.00	\N
E105	EX030	Kubota	U27-4	KU27-70411	2020	Keighley	2990	2020-06-18	27750.00	\N
E106	EX080	JCB	86C-2	JC86-13377	2018	Keighley	5240	2018-09-11	52000.00	\N
E107	EX080	Takeuchi	TB290	TK290-5062	2022	Leeds	1460	2022-08-09	61500.00	\N
E108	EX130	Hitachi	ZX130-6	HZ13-40088	2019	Keighley	4715	2019-11-05	84000.00	\N
E109	EX130	JCB	131X	JC131-0719	2024	Leeds	64	2024-12-12	98500.00	\N
R201	RL080	Bomag	BW80AD-5	BM80-31145	2017	Keighley	2210	2017-03-14	11200.00	\N
R202	RL080	Hamm	HD8VV	HM08-7720	2020	Leeds	1345	2020-02-20	12650.00	\N
R203	RL120	Bomag	BW120AD-5	BM12-90513	2019	Leeds	1780	2019-07-02	21900.00	\N
R204	RL120	Hamm	HD12VV	HM12-6634	2021	Keighley	990	2021-05-27	23400.00	\N
P301	SL19	Genie	GS-1932	GS19-44210	2018	Leeds	610	2018-10-16	8200.00	\N
P302	SL19	JLG	1930ES	JL19-83016	2019	Leeds	585	2019-03-12	8450.00	\N
P303	SL19	Genie	GS-1932	GS19-47755	2021	Keighley	290	2021-11-23	9100.00	\N
P304	BM45	Genie	Z-45 FE	GZ45-10872	2020	Leeds	1520	2020-09-08	43500.00	\N
P305	BM45	JLG	450AJ	JL45-66103	2017	Keighley	2840	2017-06-21	37000.00	\N
P306	SL19	JLG	1930ES	JL19-90442	2017	Leeds	730	2024-09-24	3900.00	\N
\.


--
-- Data for Name: plant_class; Type: TABLE DATA; Schema: public; Owner: hiredesk
--

COPY public.plant_class (class_code, description, family, day_rate, week_rate, weight_kg) FROM stdin;
EX015	1.5 t mini excavator	Excavator	75.00	225.00	1600
EX030	3 t mini excavator	Excavator	95.00	285.00	2900
EX080	8 t midi excavator	Excavator	160.00	480.00	8200
EX130	13 t tracked excavator	Excavator	210.00	630.00	13400
RL080	80 cm ride-on roller	Roller	70.00	210.00	1500
RL120	120 cm ride-on roller	Roller	85.00	255.00	2600
SL19	19 ft scissor lift	Platform	60.00	150.00	1230
BM45	45 ft articulated boom lift	Platform	140.00	390.00	6900
\.


--
-- Data for Name: staff; Type: TABLE DATA; Schema: public; Owner: hiredesk
--

COPY public.staff (staff_id, full_name, job, started, left_on, mobile) FROM stdin;
1	Graham Holroyd	Hire Manager	2009-03-02	\N	07700 900114
2	Sandra Whitwam	Hire Desk	2013-07-15	\N	07700 900127
3	Jake Sutcliffe	Hire Desk	2021-09-06	\N	07700 900131
4	Dean Barraclough	Driver	2012-01-23	\N	07700 900145
5	Mick Ogden	Driver	2016-05-09	\N	07700 900152
6	Paula Greenhalgh	Driver	2019-10-28	\N	07700 900166
7	Wes Hartley	Fitter	2010-06-14	\N	07700 900173
8	Anita Rawson	Fitter	2018-02-19	\N	07700 900189
9	Craig Lumb	Fitter	2020-11-02	2025-02-14	\N
10	Neil Crowther	Driver	2017-04-03	2024-12-20	\N
11	Kirsty Ackroyd	Apprentice Fitter	2024-09-02	\N	07700 900198
\.


--
-- Data for Name: workshop_job; Type: TABLE DATA; Schema: public; Owner: hiredesk
--

COPY public.workshop_job (job_no, fleet_no, opened_on, closed_on, fitter_id, job_type, fault, labour_hrs, parts_cost) FROM stdin;
W811	E108	2024-10-03	2024-10-04	7	Service	500 hour service	5.5	312.40
W812	P306	2024-10-08	2024-10-08	8	LOLER	Six-monthly thorough examination	2.0	\N
W815	E103	2024-10-22	2024-10-25	9	Breakdown	Track motor leaking	9.0	684.00
W818	R201	2024-11-06	2024-11-07	8	Breakdown	Will not vibrate	4.5	146.75
W820	P305	2024-11-08	2024-11-08	8	LOLER	Six-monthly thorough examination	2.0	\N
W823	E106	2024-11-14	2024-11-18	7	Breakdown	Slew ring noisy	11.0	1240.00
W826	E105	2024-12-03	2024-12-03	9	Service	250 hour service	3.0	118.60
W829	P301	2024-12-11	2024-12-13	9	Breakdown	Batteries not holding charge	3.5	590.00
W830	E104	2024-12-16	2024-12-19	8	Breakdown	Boom ram seal blown	6.5	208.30
W902	R203	2025-01-08	2025-01-08	9	Service	Annual service	3.0	95.20
W905	E108	2025-01-15	2025-01-17	7	Breakdown	Bucket linkage worn	7.0	455.00
W908	P304	2025-02-17	2025-02-18	8	Breakdown	Basket joystick sticking	4.0	372.50
W911	E105	2025-02-20	\N	11	Breakdown	Final drive seized	\N	\N
W914	R204	2025-02-26	2025-02-27	8	Service	Annual service	3.0	88.00
W917	P302	2025-03-06	\N	8	Breakdown	Tilt alarm sounds on level ground	1.5	\N
W920	E102	2025-03-24	2025-03-25	7	Service	250 hour service	3.5	121.15
W923	P305	2025-03-27	\N	7	Breakdown	Hydraulic pump failure	\N	\N
\.


--
-- Name: customer customer_pkey; Type: CONSTRAINT; Schema: public; Owner: hiredesk
--

ALTER TABLE ONLY public.customer
    ADD CONSTRAINT customer_pkey PRIMARY KEY (cust_id);


--
-- Name: hire hire_pkey; Type: CONSTRAINT; Schema: public; Owner: hiredesk
--

ALTER TABLE ONLY public.hire
    ADD CONSTRAINT hire_pkey PRIMARY KEY (hire_no);


--
-- Name: invoice invoice_pkey; Type: CONSTRAINT; Schema: public; Owner: hiredesk
--

ALTER TABLE ONLY public.invoice
    ADD CONSTRAINT invoice_pkey PRIMARY KEY (inv_no);


--
-- Name: machine machine_pkey; Type: CONSTRAINT; Schema: public; Owner: hiredesk
--

ALTER TABLE ONLY public.machine
    ADD CONSTRAINT machine_pkey PRIMARY KEY (fleet_no);


--
-- Name: plant_class plant_class_pkey; Type: CONSTRAINT; Schema: public; Owner: hiredesk
--

ALTER TABLE ONLY public.plant_class
    ADD CONSTRAINT plant_class_pkey PRIMARY KEY (class_code);


--
-- Name: staff staff_pkey; Type: CONSTRAINT; Schema: public; Owner: hiredesk
--

ALTER TABLE ONLY public.staff
    ADD CONSTRAINT staff_pkey PRIMARY KEY (staff_id);


--
-- Name: workshop_job workshop_job_pkey; Type: CONSTRAINT; Schema: public; Owner: hiredesk
--

ALTER TABLE ONLY public.workshop_job
    ADD CONSTRAINT workshop_job_pkey PRIMARY KEY (job_no);


--
-- Name: machine machine_class_code_fkey; Type: FK CONSTRAINT; Schema: public; Owner: hiredesk
--

ALTER TABLE ONLY public.machine
    ADD CONSTRAINT machine_class_code_fkey FOREIGN KEY (class_code) REFERENCES public.plant_class(class_code);


--
-- Name: hire hire_cust_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: hiredesk
--

ALTER TABLE ONLY public.hire
    ADD CONSTRAINT hire_cust_id_fkey FOREIGN KEY (cust_id) REFERENCES public.customer(cust_id);


--
-- Name: hire hire_fleet_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: hiredesk
--

ALTER TABLE ONLY public.hire
    ADD CONSTRAINT hire_fleet_no_fkey FOREIGN KEY (fleet_no) REFERENCES public.machine(fleet_no);


--
-- Name: hire hire_booked_by_fkey; Type: FK CONSTRAINT; Schema: public; Owner: hiredesk
--

ALTER TABLE ONLY public.hire
    ADD CONSTRAINT hire_booked_by_fkey FOREIGN KEY (booked_by) REFERENCES public.staff(staff_id);


--
-- Name: hire hire_delivered_by_fkey; Type: FK CONSTRAINT; Schema: public; Owner: hiredesk
--

ALTER TABLE ONLY public.hire
    ADD CONSTRAINT hire_delivered_by_fkey FOREIGN KEY (delivered_by) REFERENCES public.staff(staff_id);


--
-- Name: hire hire_collected_by_fkey; Type: FK CONSTRAINT; Schema: public; Owner: hiredesk
--

ALTER TABLE ONLY public.hire
    ADD CONSTRAINT hire_collected_by_fkey FOREIGN KEY (collected_by) REFERENCES public.staff(staff_id);


--
-- Name: invoice invoice_hire_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: hiredesk
--

ALTER TABLE ONLY public.invoice
    ADD CONSTRAINT invoice_hire_no_fkey FOREIGN KEY (hire_no) REFERENCES public.hire(hire_no);


--
-- Name: workshop_job workshop_job_fleet_no_fkey; Type: FK CONSTRAINT; Schema: public; Owner: hiredesk
--

ALTER TABLE ONLY public.workshop_job
    ADD CONSTRAINT workshop_job_fleet_no_fkey FOREIGN KEY (fleet_no) REFERENCES public.machine(fleet_no);


--
-- Name: workshop_job workshop_job_fitter_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: hiredesk
--

ALTER TABLE ONLY public.workshop_job
    ADD CONSTRAINT workshop_job_fitter_id_fkey FOREIGN KEY (fitter_id) REFERENCES public.staff(staff_id);


--
-- PostgreSQL database dump complete
--
