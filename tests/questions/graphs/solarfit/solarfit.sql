--
-- PostgreSQL database dump
--

-- Dumped from database version 15.6
-- Dumped by pg_dump version 15.6

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

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: crews; Type: TABLE; Schema: public; Owner: solarfit
--

CREATE TABLE public.crews (
    id integer NOT NULL,
    name character varying(120) NOT NULL,
    van_reg character varying(10),
    depot character varying(120),
    active boolean NOT NULL
);



--
-- Name: crew_members; Type: TABLE; Schema: public; Owner: solarfit
--

CREATE TABLE public.crew_members (
    id integer NOT NULL,
    crew_id integer NOT NULL,
    full_name character varying(120) NOT NULL,
    job_title character varying(120),
    started_on date NOT NULL,
    left_on date
);



--
-- Name: customers; Type: TABLE; Schema: public; Owner: solarfit
--

CREATE TABLE public.customers (
    id integer NOT NULL,
    full_name character varying(120) NOT NULL,
    address_line1 character varying(120),
    town character varying(120),
    postcode character varying(10),
    phone character varying(20),
    email character varying(120),
    lead_source character varying(120),
    created_at date NOT NULL
);



--
-- Name: faults; Type: TABLE; Schema: public; Owner: solarfit
--

CREATE TABLE public.faults (
    id integer NOT NULL,
    installation_id integer NOT NULL,
    reported_on date NOT NULL,
    category character varying(120),
    description text,
    fixed_on date,
    repair_cost numeric(10,2)
);



--
-- Name: installations; Type: TABLE; Schema: public; Owner: solarfit
--

CREATE TABLE public.installations (
    id integer NOT NULL,
    customer_id integer NOT NULL,
    quote_id integer NOT NULL,
    crew_id integer,
    panel_id integer,
    panel_count integer,
    system_kwp numeric(6,2),
    planned_start date,
    planned_finish date,
    started_on date,
    finished_on date,
    invoiced_gbp numeric(10,2),
    paid_on date
);



--
-- Name: panels; Type: TABLE; Schema: public; Owner: solarfit
--

CREATE TABLE public.panels (
    id integer NOT NULL,
    make character varying(120) NOT NULL,
    model character varying(120) NOT NULL,
    watt_peak integer NOT NULL,
    warranty_years integer,
    unit_cost_gbp numeric(10,2)
);



--
-- Name: quotes; Type: TABLE; Schema: public; Owner: solarfit
--

CREATE TABLE public.quotes (
    id integer NOT NULL,
    quote_ref character varying(12) NOT NULL,
    customer_id integer NOT NULL,
    survey_id integer NOT NULL,
    issued_on date NOT NULL,
    panel_id integer,
    panel_count integer,
    battery_kwh numeric(4,1),
    total_gbp numeric(10,2) NOT NULL,
    status character varying(12) NOT NULL,
    decided_on date
);



--
-- Name: surveys; Type: TABLE; Schema: public; Owner: solarfit
--

CREATE TABLE public.surveys (
    id integer NOT NULL,
    customer_id integer NOT NULL,
    surveyor character varying(120),
    booked_for date,
    carried_out_on date,
    roof_type character varying(120),
    roof_pitch integer,
    shading character varying(120),
    notes text
);



--
-- Data for Name: crews; Type: TABLE DATA; Schema: public; Owner: solarfit
--

COPY public.crews (id, name, van_reg, depot, active) FROM stdin;
1	Kestrel	YD71 KLM	Scarborough	t
2	Heron	YK22 FVO	Scarborough	t
3	Curlew	YB70 TNX	Malton	t
4	Merlin	YJ23 RHA	Malton	t
5	Plover	YC69 GEW	Whitby	t
6	Dunlin	YF18 BPZ	Whitby	f
\.


--
-- Data for Name: crew_members; Type: TABLE DATA; Schema: public; Owner: solarfit
--

COPY public.crew_members (id, crew_id, full_name, job_title, started_on, left_on) FROM stdin;
1	1	Gary Thwaite	Lead installer	2019-03-04	\N
2	1	Simon Agar	Electrician	2020-06-15	\N
3	1	Josh Pickering	Roofer	2023-01-09	\N
4	2	Louise Harker	Lead installer	2018-09-10	\N
5	2	Dean Sowerby	Roofer	2021-04-19	\N
6	2	Amir Rashid	Electrician	2022-02-07	\N
7	3	Pete Lumley	Lead installer	2020-01-13	\N
8	3	Kieran Boyes	Roofer	2022-08-01	2025-02-28
9	3	Tom Wardell	Roofer	2025-03-10	\N
10	3	Joanna Fewster	Electrician	2021-11-22	\N
11	4	Craig Dobson	Lead installer	2021-05-03	\N
12	4	Ryan Metcalfe	Roofer	2023-06-19	\N
13	4	Stefan Wilk	Electrician	2024-09-02	\N
14	5	Nicola Storr	Lead installer	2022-03-14	\N
15	5	Ben Garbutt	Electrician	2024-01-08	\N
16	6	Alan Raw	Lead installer	2018-05-21	2024-11-29
\.


--
-- Data for Name: customers; Type: TABLE DATA; Schema: public; Owner: solarfit
--

COPY public.customers (id, full_name, address_line1, town, postcode, phone, email, lead_source, created_at) FROM stdin;
101	Helen Ashcroft	14 Filey Road	Scarborough	YO11 3AA	01723 555020	h.ashcroft@homepost.example	Recommendation	2024-09-16
102	Martin Pearcy	3 Castle Howard Lane	Malton	YO17 7BD	01653 555023	m.pearcy@homepost.example	Website	2024-09-23
103	Judith Wainman	Cliff Cottage, Sandsend Road	Whitby	YO21 3TG	01947 555026	\N	Leaflet	2024-10-01
104	Robert Tindall	27 Seamer Moor Lane	Scarborough	YO12 4LW	01723 555029	r.tindall@homepost.example	Website	2024-10-07
105	Anita Desai	8 Hungate Close	Pickering	YO18 7DL	01653 555032	a.desai@homepost.example	Website	2024-10-14
106	Graham Leckenby	Low Farm, Swinton	Malton	YO17 6SQ	01653 555035	g.leckenby@homepost.example	Show stand	2024-10-18
107	Sheila Noble	51 Northstead Manor Drive	Scarborough	YO12 6AF	01723 555038	\N	Leaflet	2024-10-30
108	Paul Cockerill	19 Mayfield Road	Whitby	YO21 1LX	01947 555041	p.cockerill@homepost.example	Recommendation	2024-11-04
109	Catherine Moxon	6 Ruswarp Lane	Whitby	YO21 1ND	01947 555044	c.moxon@homepost.example	Website	2024-11-11
110	Derek Stubbs	22 Ropery Walk	Malton	YO17 7JS	01653 555047	d.stubbs@homepost.example	Leaflet	2024-11-19
111	Fiona Hebden	The Old Forge, Thornton Dale	Pickering	YO18 7RX	01653 555050	f.hebden@homepost.example	Recommendation	2024-11-25
112	Nigel Crosier	40 Stepney Drive	Scarborough	YO12 5DP	01723 555053	n.crosier@homepost.example	Website	2024-12-03
113	Yvonne Tranmer	11 Belle Vue Terrace	Filey	YO14 9AD	01723 555056	y.tranmer@homepost.example	Show stand	2024-12-09
114	Ian Beckwith	73 Scalby Road	Scarborough	YO12 6UB	01723 555059	i.beckwith@homepost.example	Recommendation	2025-01-06
115	Rachel Sleightholme	2 Eskdaleside	Whitby	YO22 5EU	01947 555062	r.sleightholme@homepost.example	Website	2025-01-13
116	Colin Jarratt	9 Muston Road	Filey	YO14 0AL	01723 555065	c.jarratt@homepost.example	Website	2025-01-17
117	Megan Frank	35 Middlecave Road	Malton	YO17 7NE	01653 555068	m.frank@homepost.example	Recommendation	2025-01-27
118	Barry Hodgson	Prospect House, Cayton	Scarborough	YO11 3RP	01723 555071	\N	Leaflet	2025-02-03
119	Lorraine Dale	16 Westgate	Pickering	YO18 8BA	01653 555074	l.dale@homepost.example	Website	2025-02-10
120	Stephen Wray	5 Hinderwell Road	Scarborough	YO12 4BD	01723 555077	s.wray@homepost.example	\N	2025-02-17
121	Christine Pounder	28 Love Lane	Whitby	YO21 3LJ	01947 555080	c.pounder@homepost.example	Recommendation	2025-02-24
122	Adam Featherstone	Manor Barn, Hunmanby	Filey	YO14 0JT	01723 555083	a.featherstone@homepost.example	Show stand	2025-02-28
123	Sandra Coultas	44 Broughton Road	Malton	YO17 7BP	01653 555086	s.coultas@homepost.example	Website	2025-03-05
124	Keith Marwood	1 Danby Terrace	Whitby	YO21 2HY	01947 555089	\N	Leaflet	2025-03-11
125	Olivia Brough	12 Holbeck Hill	Scarborough	YO11 2XD	01723 555092	o.brough@homepost.example	Website	2025-03-18
126	James Atkin	60 Eastgate	Pickering	YO18 7DU	01653 555095	j.atkin@homepost.example	Website	2025-04-02
\.


--
-- Data for Name: faults; Type: TABLE DATA; Schema: public; Owner: solarfit
--

COPY public.faults (id, installation_id, reported_on, category, description, fixed_on, repair_cost) FROM stdin;
9001	501	2024-12-01	Monitoring	App shows no data	2024-12-04	\N
9002	502	2024-12-16	Inverter	Inverter trips at midday	2025-01-08	310.00
9003	504	2025-01-20	Wiring	DC isolator corroded	2025-01-29	145.00
9004	506	2025-02-02	Roof leak	Drip in back bedroom	2025-02-07	220.00
9005	503	2025-02-10	Monitoring	Battery level not updating	2025-02-12	\N
9006	510	2025-03-21	Panel	Cracked glass on one panel	2025-04-02	64.90
9007	501	2025-03-24	Inverter	Fan noise from inverter	2025-04-01	85.00
9008	506	2025-03-26	Panel	One panel reading low	\N	\N
9009	509	2025-03-30	Roof leak	Damp patch near bracket	\N	\N
9010	508	2025-04-04	Monitoring	Dongle lost wifi	2025-04-05	\N
9011	511	2025-04-11	Inverter	Earth fault error on display	\N	\N
9012	505	2025-04-14	Bird mesh	Pigeons under array	2025-04-22	130.00
9013	510	2025-04-16	Panel	Frame clamp loose	2025-04-24	40.00
9014	513	2025-04-23	Monitoring	Export reading wrong	\N	\N
\.


--
-- Data for Name: installations; Type: TABLE DATA; Schema: public; Owner: solarfit
--

COPY public.installations (id, customer_id, quote_id, crew_id, panel_id, panel_count, system_kwp, planned_start, planned_finish, started_on, finished_on, invoiced_gbp, paid_on) FROM stdin;
501	101	1	1	1	12	4.92	2024-11-04	2024-11-05	2024-11-04	2024-11-05	9840.00	2024-11-20
502	102	2	3	3	14	5.60	2024-11-18	2024-11-19	2024-11-18	2024-11-21	7320.00	2024-12-04
503	104	3	2	1	16	6.56	2024-12-02	2024-12-03	2024-12-02	2024-12-03	13410.00	2024-12-18
504	106	4	4	6	28	15.12	2024-12-09	2024-12-12	2024-12-10	2024-12-12	16480.00	2025-01-15
505	108	6	1	2	12	5.22	2025-01-08	2025-01-09	2025-01-08	2025-01-09	10450.00	2025-01-24
506	109	7	5	5	8	3.16	2025-01-13	2025-01-14	2025-01-13	2025-01-14	5120.00	2025-02-03
507	111	8	1	4	14	6.30	2025-01-27	2025-01-28	2025-01-27	2025-01-30	14650.00	2025-02-14
508	112	9	1	3	12	4.80	2025-02-05	2025-02-06	2025-02-05	2025-02-06	6580.00	2025-02-19
509	114	11	2	2	18	7.83	2025-02-24	2025-02-26	2025-02-24	2025-02-25	15390.00	2025-03-12
510	115	12	2	5	12	4.74	2025-03-06	2025-03-07	2025-03-06	2025-03-07	6340.00	2025-03-28
511	116	13	1	3	14	5.60	2025-03-12	2025-03-13	2025-03-12	2025-03-13	10120.00	2025-04-01
512	117	14	2	1	12	4.92	2025-03-19	2025-03-20	2025-03-19	2025-03-24	7050.00	\N
513	118	15	1	6	20	10.80	2025-03-31	2025-04-02	2025-03-31	2025-04-03	17595.00	\N
514	121	17	5	2	10	4.35	2025-04-09	2025-04-10	2025-04-09	2025-04-10	9630.00	2025-04-25
515	122	18	4	6	24	12.96	2025-04-22	2025-04-24	2025-04-22	\N	\N	\N
\.


--
-- Data for Name: panels; Type: TABLE DATA; Schema: public; Owner: solarfit
--

COPY public.panels (id, make, model, watt_peak, warranty_years, unit_cost_gbp) FROM stdin;
1	Helion	Helion 410 Black	410	25	78.50
2	Helion	Helion 435 Duo	435	30	96.00
3	Norrstrom	Norrstrom N400	400	25	71.20
4	Norrstrom	Norrstrom N450 Pro	450	30	104.75
5	Taiyou	Taiyou Slim 395	395	20	64.90
6	Taiyou	Taiyou Agri 540	540	20	112.00
7	Brightfield	Brightfield BF-375	375	15	52.40
\.


--
-- Data for Name: quotes; Type: TABLE DATA; Schema: public; Owner: solarfit
--

COPY public.quotes (id, quote_ref, customer_id, survey_id, issued_on, panel_id, panel_count, battery_kwh, total_gbp, status, decided_on) FROM stdin;
1	Q24-210	101	1	2024-10-01	1	12	5.2	9840.00	accepted	2024-10-08
2	Q24-214	102	2	2024-10-09	3	14	\N	7320.00	accepted	2024-10-21
3	Q24-218	104	4	2024-10-24	1	16	9.5	13150.00	accepted	2024-11-01
4	Q24-222	106	6	2024-11-05	6	28	\N	16480.00	accepted	2024-11-12
5	Q24-226	107	7	2024-11-15	5	10	\N	5690.00	declined	2024-12-02
6	Q24-230	108	8	2024-11-20	2	12	5.2	10450.00	accepted	2024-11-29
7	Q24-234	109	9	2024-11-28	5	8	\N	5120.00	accepted	2024-12-09
8	Q24-238	111	11	2024-12-12	4	14	9.5	14275.00	accepted	2024-12-20
9	Q24-242	112	12	2024-12-18	3	12	\N	6580.00	accepted	2025-01-06
10	Q25-246	113	13	2025-01-03	1	10	5.2	9075.00	declined	2025-01-14
11	Q25-250	114	14	2025-01-21	2	18	9.5	15390.00	accepted	2025-01-28
12	Q25-254	115	15	2025-01-29	5	12	\N	6340.00	accepted	2025-02-10
13	Q25-258	116	16	2025-02-03	3	14	5.2	10120.00	accepted	2025-02-11
14	Q25-262	117	17	2025-02-12	1	12	\N	7050.00	accepted	2025-02-20
15	Q25-266	118	18	2025-02-19	6	20	9.5	17260.00	accepted	2025-02-27
16	Q25-270	120	20	2025-03-05	4	22	9.5	18610.00	declined	2025-03-17
17	Q25-274	121	21	2025-03-11	2	10	5.2	9630.00	accepted	2025-03-19
18	Q25-278	122	22	2025-03-17	6	24	\N	15120.00	accepted	2025-03-25
19	Q25-282	123	23	2025-03-20	3	12	\N	6615.00	sent	\N
20	Q25-286	125	25	2025-04-03	1	18	5.2	12890.00	sent	\N
21	Q25-290	103	3	2025-04-07	5	8	\N	5260.00	sent	\N
\.


--
-- Data for Name: surveys; Type: TABLE DATA; Schema: public; Owner: solarfit
--

COPY public.surveys (id, customer_id, surveyor, booked_for, carried_out_on, roof_type, roof_pitch, shading, notes) FROM stdin;
1	101	Gareth Pollard	2024-09-24	2024-09-24	Slate	35	None	\N
2	102	Sally Eckersley	2024-10-02	2024-10-02	Concrete tile	30	Light	\N
3	103	Gareth Pollard	2024-10-10	2024-10-10	Pantile	42	Light	Conservation area, front slope not allowed
4	104	Sally Eckersley	2024-10-16	2024-10-17	Concrete tile	30	None	\N
5	105	Liam Cussons	2024-10-23	2024-10-23	Slate	33	Heavy	Sycamore to the south
6	106	Sally Eckersley	2024-10-29	2024-10-29	Metal sheet	15	None	Barn roof
7	107	Gareth Pollard	2024-11-08	2024-11-08	Concrete tile	32	Light	\N
8	108	Liam Cussons	2024-11-13	2024-11-13	Slate	40	None	\N
9	109	Gareth Pollard	2024-11-20	2024-11-20	Pantile	38	Light	\N
10	110	Sally Eckersley	2024-11-27	2024-11-27	Concrete tile	28	Heavy	Neighbour chimney
11	111	Liam Cussons	2024-12-04	2024-12-05	Slate	36	None	\N
12	112	Gareth Pollard	2024-12-11	2024-12-11	Concrete tile	30	None	\N
13	113	Sally Eckersley	2024-12-17	2024-12-17	Concrete tile	31	Light	\N
14	114	Gareth Pollard	2025-01-15	2025-01-15	Slate	37	None	\N
15	115	Liam Cussons	2025-01-22	2025-01-22	Pantile	41	Light	\N
16	116	Sally Eckersley	2025-01-27	2025-01-27	Concrete tile	29	None	\N
17	117	Gareth Pollard	2025-02-05	2025-02-05	Concrete tile	30	None	\N
18	118	Liam Cussons	2025-02-12	2025-02-12	Metal sheet	12	None	Workshop as well
19	119	Gareth Pollard	2025-02-19	2025-02-19	Slate	34	Heavy	\N
20	120	Sally Eckersley	2025-02-26	2025-02-26	Concrete tile	30	Light	\N
21	121	Gareth Pollard	2025-03-04	2025-03-04	Slate	39	Light	\N
22	122	Gareth Pollard	2025-03-07	2025-03-10	Metal sheet	14	None	Barn roof, good access
23	123	Sally Eckersley	2025-03-13	2025-03-13	Concrete tile	30	None	\N
24	124	Gareth Pollard	2025-03-20	2025-03-20	Pantile	43	Heavy	Roof timbers poor
25	125	Liam Cussons	2025-03-27	2025-03-27	Concrete tile	32	None	\N
26	126	Gareth Pollard	2025-03-28	\N	\N	\N	\N	Customer postponed
\.


--
-- Name: crews crews_pkey; Type: CONSTRAINT; Schema: public; Owner: solarfit
--

ALTER TABLE ONLY public.crews
    ADD CONSTRAINT crews_pkey PRIMARY KEY (id);


--
-- Name: crew_members crew_members_pkey; Type: CONSTRAINT; Schema: public; Owner: solarfit
--

ALTER TABLE ONLY public.crew_members
    ADD CONSTRAINT crew_members_pkey PRIMARY KEY (id);


--
-- Name: customers customers_pkey; Type: CONSTRAINT; Schema: public; Owner: solarfit
--

ALTER TABLE ONLY public.customers
    ADD CONSTRAINT customers_pkey PRIMARY KEY (id);


--
-- Name: faults faults_pkey; Type: CONSTRAINT; Schema: public; Owner: solarfit
--

ALTER TABLE ONLY public.faults
    ADD CONSTRAINT faults_pkey PRIMARY KEY (id);


--
-- Name: installations installations_pkey; Type: CONSTRAINT; Schema: public; Owner: solarfit
--

ALTER TABLE ONLY public.installations
    ADD CONSTRAINT installations_pkey PRIMARY KEY (id);


--
-- Name: panels panels_pkey; Type: CONSTRAINT; Schema: public; Owner: solarfit
--

ALTER TABLE ONLY public.panels
    ADD CONSTRAINT panels_pkey PRIMARY KEY (id);


--
-- Name: quotes quotes_pkey; Type: CONSTRAINT; Schema: public; Owner: solarfit
--

ALTER TABLE ONLY public.quotes
    ADD CONSTRAINT quotes_pkey PRIMARY KEY (id);


--
-- Name: surveys surveys_pkey; Type: CONSTRAINT; Schema: public; Owner: solarfit
--

ALTER TABLE ONLY public.surveys
    ADD CONSTRAINT surveys_pkey PRIMARY KEY (id);


--
-- Name: crew_members crew_members_crew_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: solarfit
--

ALTER TABLE ONLY public.crew_members
    ADD CONSTRAINT crew_members_crew_id_fkey FOREIGN KEY (crew_id) REFERENCES public.crews(id);


--
-- Name: faults faults_installation_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: solarfit
--

ALTER TABLE ONLY public.faults
    ADD CONSTRAINT faults_installation_id_fkey FOREIGN KEY (installation_id) REFERENCES public.installations(id);


--
-- Name: installations installations_customer_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: solarfit
--

ALTER TABLE ONLY public.installations
    ADD CONSTRAINT installations_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES public.customers(id);


--
-- Name: installations installations_quote_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: solarfit
--

ALTER TABLE ONLY public.installations
    ADD CONSTRAINT installations_quote_id_fkey FOREIGN KEY (quote_id) REFERENCES public.quotes(id);


--
-- Name: installations installations_crew_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: solarfit
--

ALTER TABLE ONLY public.installations
    ADD CONSTRAINT installations_crew_id_fkey FOREIGN KEY (crew_id) REFERENCES public.crews(id);


--
-- Name: installations installations_panel_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: solarfit
--

ALTER TABLE ONLY public.installations
    ADD CONSTRAINT installations_panel_id_fkey FOREIGN KEY (panel_id) REFERENCES public.panels(id);


--
-- Name: quotes quotes_customer_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: solarfit
--

ALTER TABLE ONLY public.quotes
    ADD CONSTRAINT quotes_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES public.customers(id);


--
-- Name: quotes quotes_survey_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: solarfit
--

ALTER TABLE ONLY public.quotes
    ADD CONSTRAINT quotes_survey_id_fkey FOREIGN KEY (survey_id) REFERENCES public.surveys(id);


--
-- Name: quotes quotes_panel_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: solarfit
--

ALTER TABLE ONLY public.quotes
    ADD CONSTRAINT quotes_panel_id_fkey FOREIGN KEY (panel_id) REFERENCES public.panels(id);


--
-- Name: surveys surveys_customer_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: solarfit
--

ALTER TABLE ONLY public.surveys
    ADD CONSTRAINT surveys_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES public.customers(id);


--
-- PostgreSQL database dump complete
--
