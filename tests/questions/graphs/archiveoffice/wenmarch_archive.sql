--
-- PostgreSQL database dump
--

-- Dumped from database version 14.11
-- Dumped by pg_dump version 14.11

SET statement_timeout = 0;
SET lock_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET client_min_messages = warning;
SET row_security = off;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: collection; Type: TABLE; Schema: public; Owner: archive
--

CREATE TABLE public.collection (
    coll_id integer NOT NULL,
    ref_code character varying(16) NOT NULL,
    title text NOT NULL,
    depositor text,
    start_year smallint,
    end_year smallint,
    extent_boxes integer,
    access_status character varying(20),
    deposited_on date
);


ALTER TABLE public.collection OWNER TO archive;

--
-- Name: conservation_job; Type: TABLE; Schema: public; Owner: archive
--

CREATE TABLE public.conservation_job (
    job_id integer NOT NULL,
    doc_id integer NOT NULL,
    treatment text,
    conservator text,
    started_on date,
    finished_on date,
    est_hours integer,
    actual_hours numeric(6,2),
    materials_cost numeric(8,2)
);


ALTER TABLE public.conservation_job OWNER TO archive;

--
-- Name: copy_order; Type: TABLE; Schema: public; Owner: archive
--

CREATE TABLE public.copy_order (
    order_id integer NOT NULL,
    reader_id integer NOT NULL,
    doc_id integer NOT NULL,
    ordered_on date NOT NULL,
    copy_type character varying(24),
    pages integer,
    price numeric(8,2),
    paid_on date,
    dispatched_on date
);


ALTER TABLE public.copy_order OWNER TO archive;

--
-- Name: doc_request; Type: TABLE; Schema: public; Owner: archive
--

CREATE TABLE public.doc_request (
    request_id integer NOT NULL,
    visit_id integer NOT NULL,
    doc_id integer NOT NULL,
    requested_at timestamp without time zone,
    produced_at timestamp without time zone,
    returned_at timestamp without time zone,
    status character varying(20)
);


ALTER TABLE public.doc_request OWNER TO archive;

--
-- Name: document; Type: TABLE; Schema: public; Owner: archive
--

CREATE TABLE public.document (
    doc_id integer NOT NULL,
    coll_id integer NOT NULL,
    item_ref character varying(24) NOT NULL,
    title text NOT NULL,
    doc_year smallint,
    doc_type character varying(20),
    closed_until date,
    digitised boolean DEFAULT false NOT NULL,
    shelf character varying(10)
);


ALTER TABLE public.document OWNER TO archive;

--
-- Name: reader; Type: TABLE; Schema: public; Owner: archive
--

CREATE TABLE public.reader (
    reader_id integer NOT NULL,
    ticket_no character varying(12) NOT NULL,
    reader_name character varying(80) NOT NULL,
    home_town text,
    registered_on date NOT NULL,
    ticket_expires date,
    email text,
    research_type character varying(40),
    staff_note text
);


ALTER TABLE public.reader OWNER TO archive;

--
-- Name: visit; Type: TABLE; Schema: public; Owner: archive
--

CREATE TABLE public.visit (
    visit_id integer NOT NULL,
    reader_id integer NOT NULL,
    visit_date date NOT NULL,
    time_in time without time zone,
    time_out time without time zone,
    seat_no smallint
);


ALTER TABLE public.visit OWNER TO archive;

--
-- Data for Name: collection; Type: TABLE DATA; Schema: public; Owner: archive
--

COPY public.collection (coll_id, ref_code, title, depositor, start_year, end_year, extent_boxes, access_status, deposited_on) FROM stdin;
1	WQ/1	Wenmarch Quarter Sessions	Wenmarch County Council	1648	1889	214	open	1932-06-01
2	D/HAR	Harcastle of Orme Park family papers	Lord Harcastle	1512	1947	96	open	1951-10-12
3	P/TOL	Tolbury St Oswin parish records	Tolbury Parochial Church Council	1558	1994	41	open	1963-04-22
4	PL/S	Stainby Poor Law Union	Stainby Borough Council	1836	1930	58	part closed	1949-02-15
5	H/WIC	Wicken Ferry Cottage Hospital	Wenmarch Health Trust	1887	1974	33	part closed	1988-09-30
6	R/TMR	Tolbury and Marl Railway Company	Marl Valley Railway Society	1861	1923	27	open	1977-05-03
7	B/GUD	Gudgeon & Sons, maltsters	Gudgeon Holdings Ltd	1794	1968	19	open	1981-11-17
8	E/MHS	Marl Heath Village School	Wenmarch County Council	1871	1982	14	part closed	1990-07-20
9	MP	Wenmarch maps and plans	various	1596	1971	72	open	\N
10	PH/LOV	Loveday Crane photographs	Crane estate	1898	1939	22	open	2004-03-08
11	NC/BAP	Great Orme Cross Baptist Chapel	Chapel trustees	1745	2001	8	open	2011-08-16
12	D/SEL	Selwood solicitors' deposit	Selwood & Tripp LLP	1702	1955	130	uncatalogued	2023-02-27
\.


--
-- Data for Name: conservation_job; Type: TABLE DATA; Schema: public; Owner: archive
--

COPY public.conservation_job (job_id, doc_id, treatment, conservator, started_on, finished_on, est_hours, actual_hours, materials_cost) FROM stdin;
501	111	rebind and repair spine	Beatrix Holm	2024-01-22	2024-03-15	30	34.50	118.40
502	141	flatten and line with Japanese paper	Ivo Trelawny	2024-02-05	2024-04-19	45	61.00	236.75
503	106	seal repair and new box	Beatrix Holm	2024-02-19	2024-02-28	8	6.50	41.20
504	102	surface clean	Saskia Penrose	2024-03-04	2024-03-06	5	4.25	6.90
505	138	flatten and line with Japanese paper	Ivo Trelawny	2024-06-03	2024-08-16	50	47.50	198.30
506	113	mould treatment	Saskia Penrose	2024-05-13	2024-06-07	16	21.00	54.10
507	147	rebind and repair spine	Beatrix Holm	2024-05-20	2024-07-26	28	28.00	102.60
508	142	rehouse glass negative	Saskia Penrose	2024-06-17	2024-06-18	3	2.75	12.35
509	144	rehouse glass negative	Saskia Penrose	2024-06-18	2024-06-19	3	3.50	12.35
510	139	tear repair	Ivo Trelawny	2024-07-22	2024-08-09	18	15.25	38.80
511	116	tear repair	Beatrix Holm	2024-08-12	2024-08-30	14	19.75	44.15
512	125	flatten and line with Japanese paper	Ivo Trelawny	2024-10-14	2024-12-20	40	52.25	187.90
513	151	mould treatment	Saskia Penrose	2024-10-01	2024-10-25	22	30.50	71.45
514	150	mould treatment	Saskia Penrose	2024-10-07	2024-11-15	26	24.00	83.20
515	127	surface clean	Beatrix Holm	2024-11-04	2024-11-06	4	4.00	5.60
516	117	rebind and repair spine	Beatrix Holm	2024-11-18	2025-01-31	32	38.25	125.05
517	137	tear repair	Ivo Trelawny	2024-12-02	2025-01-17	20	23.50	52.70
518	108	rebind and repair spine	Beatrix Holm	2025-02-10	2025-04-25	30	27.75	109.90
519	113	surface clean	Saskia Penrose	2025-02-17	2025-02-20	6	5.75	8.10
520	140	flatten and line with Japanese paper	Ivo Trelawny	2025-03-03	\N	36	\N	\N
521	133	seal repair and new box	Saskia Penrose	2025-04-14	\N	9	\N	\N
522	130	rebind and repair spine	Beatrix Holm	2025-05-12	\N	34	\N	\N
523	152	mould treatment	Saskia Penrose	\N	\N	12	\N	\N
524	121	tear repair	\N	\N	\N	10	\N	\N
\.


--
-- Data for Name: copy_order; Type: TABLE DATA; Schema: public; Owner: archive
--

COPY public.copy_order (order_id, reader_id, doc_id, ordered_on, copy_type, pages, price, paid_on, dispatched_on) FROM stdin;
9001	4	113	2024-02-20	photocopy	30	18.00	\N	\N
9002	4	127	2024-02-26	scan	18	29.50	2024-03-07	2024-03-11
9003	4	113	2024-03-14	scan	30	47.50	\N	\N
9004	8	116	2024-04-30	scan	30	47.50	2024-05-09	2024-05-13
9005	3	106	2024-05-09	scan	5	10.00	2024-05-16	2024-05-27
9006	11	102	2024-06-14	scan	36	56.50	2024-06-24	2024-07-10
9007	12	129	2024-07-03	photocopy	4	2.40	\N	\N
9008	12	127	2024-08-12	scan	20	32.50	\N	\N
9009	1	103	2024-08-16	scan	35	55.00	2024-08-23	2024-09-09
9010	9	109	2024-08-21	scan	14	23.50	2024-09-04	2024-09-10
9011	5	101	2024-08-26	photocopy	25	15.00	2024-09-02	2024-09-16
9012	1	151	2024-09-27	scan	15	25.00	2024-10-17	\N
9013	10	144	2024-10-07	photographic print	3	29.50	\N	\N
9014	16	137	2024-10-15	scan	4	8.50	2024-10-15	2024-10-23
9015	19	134	2024-11-13	photocopy	19	11.40	\N	\N
9016	19	103	2024-11-15	scan	22	35.50	2024-11-19	2024-11-29
9017	17	111	2024-11-27	scan	6	11.50	2024-11-27	2024-12-13
9018	15	103	2024-12-04	scan	10	17.50	2024-12-19	2025-01-02
9019	3	109	2025-01-13	scan	15	25.00	\N	\N
9020	20	118	2025-01-14	scan	18	29.50	2025-01-16	2025-02-03
9021	21	152	2025-02-04	scan	22	35.50	2025-02-12	\N
9022	22	142	2025-03-07	photographic print	2	20.50	2025-03-17	2025-03-24
9023	21	126	2025-03-07	scan	16	26.50	\N	\N
9024	23	143	2025-04-02	photographic print	2	20.50	2025-04-10	2025-04-22
9025	18	145	2025-04-08	photographic print	1	11.50	2025-04-28	2025-05-01
9026	24	131	2025-04-08	photocopy	35	21.00	2025-04-18	2025-05-05
9027	1	141	2025-04-28	scan	9	16.00	2025-05-19	2025-06-02
9028	18	137	2025-05-05	scan	12	20.50	2025-05-12	2025-05-12
9029	7	113	2025-05-12	photocopy	2	1.20	2025-05-19	2025-05-21
9030	11	102	2025-06-10	photocopy	9	5.40	2025-06-12	2025-06-23
9031	19	145	2025-06-10	photographic print	2	20.50	2025-06-13	\N
9032	12	127	2025-06-11	scan	12	20.50	\N	\N
\.


--
-- Data for Name: doc_request; Type: TABLE DATA; Schema: public; Owner: archive
--

COPY public.doc_request (request_id, visit_id, doc_id, requested_at, produced_at, returned_at, status) FROM stdin;
7001	3001	126	2024-02-06 10:14:00	2024-02-06 10:22:00	2024-02-06 12:39:00	produced
7002	3002	127	2024-02-20 10:01:00	2024-02-20 10:43:00	2024-02-20 11:12:00	produced
7003	3002	113	2024-02-20 10:06:00	2024-02-20 10:23:00	2024-02-20 11:11:00	produced
7004	3003	113	2024-03-01 11:37:00	2024-03-01 12:19:00	2024-03-01 12:29:00	produced
7005	3004	103	2024-03-12 09:44:00	2024-03-12 10:17:00	2024-03-12 11:19:00	produced
7006	3005	113	2024-03-12 10:00:00	2024-03-12 10:14:00	2024-03-12 13:33:00	produced
7007	3006	111	2024-04-02 13:10:00	\N	\N	not found
7008	3007	142	2024-04-23 11:36:00	\N	\N	not found
7009	3007	118	2024-04-23 11:48:00	2024-04-23 12:30:00	2024-04-23 14:12:00	produced
7010	3008	121	2024-04-26 13:33:00	2024-04-26 14:06:00	2024-04-26 15:37:00	produced
7011	3008	116	2024-04-26 13:42:00	2024-04-26 13:56:00	2024-04-26 15:42:00	produced
7012	3009	106	2024-05-09 09:55:00	2024-05-09 10:28:00	2024-05-09 14:15:00	produced
7013	3010	135	2024-05-14 10:12:00	\N	\N	refused - closed
7014	3011	138	2024-05-28 11:41:00	2024-05-28 11:58:00	2024-05-28 13:13:00	produced
7015	3011	121	2024-05-28 11:45:00	\N	\N	cancelled
7016	3012	137	2024-05-30 13:39:00	2024-05-30 13:53:00	2024-05-30 14:47:00	produced
7017	3012	131	2024-05-30 13:45:00	2024-05-30 13:59:00	2024-05-30 14:44:00	produced
7018	3013	102	2024-06-11 10:44:00	2024-06-11 11:10:00	2024-06-11 11:50:00	produced
7019	3016	129	2024-07-02 10:00:00	2024-07-02 10:21:00	2024-07-02 13:01:00	produced
7020	3017	112	2024-07-16 10:22:00	2024-07-16 11:04:00	2024-07-16 11:21:00	produced
7021	3018	134	2024-07-23 09:43:00	2024-07-23 09:51:00	2024-07-23 13:16:00	produced
7022	3018	119	2024-07-23 09:48:00	\N	\N	refused - closed
7023	3020	112	2024-08-08 10:30:00	2024-08-08 10:51:00	2024-08-08 14:01:00	produced
7024	3021	127	2024-08-09 10:45:00	2024-08-09 10:53:00	2024-08-09 15:27:00	produced
7025	3022	111	2024-08-14 13:07:00	2024-08-14 13:49:00	2024-08-14 14:22:00	produced
7026	3023	103	2024-08-15 10:40:00	2024-08-15 10:54:00	2024-08-15 11:34:00	produced
7027	3024	134	2024-08-15 11:13:00	2024-08-15 11:39:00	2024-08-15 12:02:00	produced
7028	3024	109	2024-08-15 11:20:00	2024-08-15 11:31:00	2024-08-15 12:07:00	produced
7029	3025	138	2024-08-23 10:20:00	2024-08-23 10:37:00	2024-08-23 15:15:00	produced
7030	3025	101	2024-08-23 10:28:00	2024-08-23 11:01:00	2024-08-23 15:13:00	produced
7031	3026	102	2024-09-03 09:44:00	2024-09-03 09:55:00	2024-09-03 14:37:00	produced
7032	3027	102	2024-09-04 10:03:00	2024-09-04 10:45:00	2024-09-04 14:49:00	produced
7033	3027	103	2024-09-04 10:09:00	2024-09-04 10:26:00	2024-09-04 14:52:00	produced
7034	3029	151	2024-09-27 12:15:00	2024-09-27 12:26:00	2024-09-27 13:18:00	produced
7035	3030	144	2024-10-01 09:38:00	2024-10-01 09:46:00	2024-10-01 11:16:00	produced
7036	3032	125	2024-10-04 10:25:00	2024-10-04 10:42:00	2024-10-04 12:02:00	produced
7037	3033	124	2024-11-07 10:20:00	2024-11-07 10:41:00	2024-11-07 11:22:00	produced
7038	3033	129	2024-11-07 10:31:00	2024-11-07 10:42:00	2024-11-07 11:21:00	produced
7039	3034	134	2024-11-12 10:04:00	2024-11-12 10:15:00	2024-11-12 10:56:00	produced
7040	3034	103	2024-11-12 10:12:00	2024-11-12 10:29:00	2024-11-12 10:55:00	produced
7041	3035	111	2024-11-27 09:38:00	2024-11-27 09:49:00	2024-11-27 12:10:00	produced
7042	3036	141	2024-11-27 11:06:00	2024-11-27 11:27:00	2024-11-27 13:14:00	produced
7043	3037	139	2024-11-28 13:14:00	2024-11-28 13:56:00	2024-11-28 16:11:00	produced
7044	3038	103	2024-11-29 12:15:00	2024-11-29 12:32:00	2024-11-29 14:42:00	produced
7045	3039	109	2025-01-10 11:36:00	2025-01-10 12:18:00	2025-01-10 12:28:00	produced
7046	3040	118	2025-01-14 09:49:00	2025-01-14 10:03:00	2025-01-14 10:56:00	produced
7047	3041	127	2025-01-30 10:39:00	2025-01-30 10:47:00	2025-01-30 14:16:00	produced
7048	3042	152	2025-02-04 09:43:00	2025-02-04 10:09:00	2025-02-04 11:16:00	produced
7049	3043	103	2025-02-04 13:39:00	2025-02-04 13:56:00	2025-02-04 14:28:00	produced
7050	3044	129	2025-02-06 11:42:00	2025-02-06 12:08:00	2025-02-06 13:13:00	produced
7051	3044	126	2025-02-06 11:54:00	2025-02-06 12:20:00	2025-02-06 13:16:00	produced
7052	3045	135	2025-02-14 10:11:00	\N	\N	refused - closed
7053	3046	119	2025-02-25 11:08:00	\N	\N	refused - closed
7054	3047	134	2025-02-26 10:27:00	\N	\N	not found
7055	3048	142	2025-03-04 10:28:00	2025-03-04 10:45:00	2025-03-04 11:36:00	produced
7056	3049	126	2025-03-06 10:27:00	2025-03-06 11:00:00	2025-03-06 11:10:00	produced
7057	3050	124	2025-04-03 10:12:00	\N	\N	cancelled
7058	3050	145	2025-04-03 10:15:00	2025-04-03 10:41:00	2025-04-03 12:37:00	produced
7059	3051	131	2025-04-08 13:05:00	2025-04-08 13:19:00	2025-04-08 14:07:00	produced
7060	3052	109	2025-04-16 10:14:00	2025-04-16 10:28:00	2025-04-16 11:05:00	produced
7061	3053	145	2025-04-17 10:28:00	2025-04-17 10:42:00	2025-04-17 14:40:00	produced
7062	3054	141	2025-04-22 13:13:00	2025-04-22 13:27:00	2025-04-22 16:23:00	produced
7063	3055	137	2025-05-02 11:44:00	2025-05-02 12:05:00	2025-05-02 12:47:00	produced
7064	3056	130	2025-05-06 13:36:00	2025-05-06 14:18:00	2025-05-06 16:27:00	produced
7065	3056	116	2025-05-06 13:42:00	2025-05-06 14:03:00	2025-05-06 16:23:00	produced
7066	3057	113	2025-05-07 13:32:00	2025-05-07 13:58:00	2025-05-07 14:08:00	produced
7067	3058	118	2025-05-08 13:09:00	\N	\N	cancelled
7068	3060	143	2025-05-22 10:29:00	2025-05-22 10:43:00	2025-05-22 14:01:00	produced
7069	3061	122	2025-05-29 13:39:00	\N	\N	refused - closed
7070	3062	129	2025-05-29 13:31:00	2025-05-29 13:52:00	2025-05-29 16:26:00	produced
7071	3062	138	2025-05-29 13:39:00	2025-05-29 13:50:00	2025-05-29 16:26:00	produced
7072	3063	102	2025-06-04 13:10:00	2025-06-04 13:24:00	2025-06-04 16:23:00	produced
7073	3064	127	2025-06-05 10:22:00	2025-06-05 10:39:00	2025-06-05 12:28:00	produced
7074	3065	145	2025-06-06 10:26:00	2025-06-06 11:08:00	2025-06-06 14:38:00	produced
7075	3065	103	2025-06-06 10:31:00	2025-06-06 11:13:00	2025-06-06 14:41:00	produced
7076	3066	144	2025-06-18 12:13:00	\N	\N	cancelled
7077	3066	142	2025-06-18 12:18:00	2025-06-18 12:51:00	2025-06-18 13:47:00	produced
7078	3067	142	2025-06-19 11:42:00	2025-06-19 11:59:00	2025-06-19 14:12:00	produced
7079	3068	103	2025-06-20 13:10:00	2025-06-20 13:31:00	\N	produced
\.


--
-- Data for Name: document; Type: TABLE DATA; Schema: public; Owner: archive
--

COPY public.document (doc_id, coll_id, item_ref, title, doc_year, doc_type, closed_until, digitised, shelf) FROM stdin;
101	1	WQ/1/3/14	Tolbury gaol calendar	1821	volume	\N	t	B14-5
102	1	WQ/1/3/22	Depositions in the Stainby bread riot	1795	bundle	\N	f	B10-5
103	1	WQ/1/7/2	Register of alehouse recognizances	1768	volume	\N	t	B13-5
104	1	WQ/1/9/5	Land tax assessments, Marl hundred	1803	volume	\N	f	B06-5
105	1	WQ/1/11/1	Bridge surveyor's report book	1834	volume	\N	f	B18-1
106	2	D/HAR/1/3	Grant of Orme Park by Edmund Harcastle	1512	deed	\N	t	C13-3
107	2	D/HAR/2/17	Lady Arabella's household accounts	1689	volume	\N	f	C11-1
108	2	D/HAR/4/6	Steward's letter book	1774	volume	\N	f	C07-4
109	2	D/HAR/5/40	Marriage settlement of Lucinda Harcastle	1802	deed	\N	f	C15-1
110	2	D/HAR/8/11	Orme Park sale particulars	1921	printed	\N	t	C06-5
111	3	P/TOL/1/1	Tolbury baptism register I	1558	volume	\N	t	D03-1
112	3	P/TOL/1/9	Tolbury burial register IX	1849	volume	\N	t	D04-2
113	3	P/TOL/5/3	Churchwardens' presentments	1662	bundle	\N	f	D17-3
114	3	P/TOL/8/2	Vestry minute book	1793	volume	\N	f	D16-3
115	3	P/TOL/10/7	Bell-ringers' rules	1841	printed	\N	f	D10-5
116	4	PL/S/2/1	Stainby workhouse admission register	1847	volume	\N	t	E08-5
117	4	PL/S/2/8	Stainby workhouse punishment book	1869	volume	\N	f	E16-2
118	4	PL/S/4/5	Guardians' minute book	1871	volume	\N	f	E08-6
119	4	PL/S/6/3	Boarded-out children case files	1926	bundle	2027-01-01	f	E17-3
120	4	PL/S/7/1	Tramp ward returns	1908	bundle	\N	f	E18-3
121	5	H/WIC/1/2	Matron's report book	1902	volume	\N	f	A18-6
122	5	H/WIC/3/4	Patient admissions, women's ward	1938	volume	2039-01-01	f	A16-1
123	5	H/WIC/3/5	Operating theatre register	1944	volume	2045-01-01	f	A11-3
124	5	H/WIC/6/1	Plan of the isolation block	1911	plan	\N	t	A08-2
125	6	R/TMR/1/1	Railway deposited plan, Tolbury to Marl	1861	plan	\N	t	B06-2
126	6	R/TMR/2/3	Staff register of porters and signalmen	1889	volume	\N	t	B03-6
127	6	R/TMR/4/9	Accident inquiry at Cuckoo Bank	1876	bundle	\N	f	B16-2
128	6	R/TMR/5/2	Excursion handbills	1903	printed	\N	f	B01-3
129	6	R/TMR/7/1	Shareholders' ledger	1864	volume	\N	f	B08-2
130	7	B/GUD/1/4	Gudgeon malting day book	1812	volume	\N	f	C10-1
131	7	B/GUD/2/2	Apprenticeship indentures of the malt house	1830	bundle	\N	f	C12-3
132	7	B/GUD/3/9	Barley price ledger	1855	volume	\N	f	C13-5
133	7	B/GUD/5/1	Gudgeon fire insurance policy	1847	deed	\N	f	C08-4
134	8	E/MHS/1/1	Marl Heath school log book	1871	volume	\N	t	D03-5
135	8	E/MHS/1/3	Evacuee admission register	1939	volume	2030-01-01	f	D13-2
136	8	E/MHS/2/6	School garden diary	1917	volume	\N	f	D08-6
137	9	MP/14	Tithe map of Wicken Ferry	1842	plan	\N	t	E02-2
138	9	MP/22	Enclosure award map, Marl Heath	1799	plan	\N	t	E15-3
139	9	MP/31	Saxby's town plan of Stainby	1765	plan	\N	f	E07-5
140	9	MP/40	Flood relief scheme drawings	1953	plan	\N	f	E05-5
141	9	MP/3	Estate map of the Fleam meadows	1596	plan	\N	t	E02-2
142	10	PH/LOV/A/12	Hop-pickers at Fleam Farm	1908	photograph	\N	t	A04-5
143	10	PH/LOV/A/30	Tolbury market on fair day	1899	photograph	\N	t	A01-1
144	10	PH/LOV/B/7	Great Orme Cross flood	1912	photograph	\N	t	A01-3
145	10	PH/LOV/C/2	Suffrage meeting on Stainby Green	1911	photograph	\N	t	A08-2
146	10	PH/LOV/D/5	Wicken ferryman Abel Noakes	1926	photograph	\N	f	A04-1
147	11	NC/BAP/1	Baptist church book	1745	volume	\N	f	B09-6
148	11	NC/BAP/4	Sunday school treat accounts	1886	volume	\N	f	B04-4
149	11	NC/BAP/6	Chapel burial ground plan	1820	plan	\N	f	B04-3
150	12	D/SEL/U/1	Crossley v. Tench lawsuit papers	1851	bundle	\N	f	C10-3
151	12	D/SEL/U/2	Wills drafted by Selwood senior	1779	bundle	\N	f	C05-1
152	12	D/SEL/U/3	Turnpike trust mortgage	1788	deed	\N	f	C17-4
\.


--
-- Data for Name: reader; Type: TABLE DATA; Schema: public; Owner: archive
--

COPY public.reader (reader_id, ticket_no, reader_name, home_town, registered_on, ticket_expires, email, research_type, staff_note) FROM stdin;
1	WR2411	Marian Ashdown	Tolbury	2024-01-09	2026-01-08	m.ashdown@fenmail.example	house history	\N
2	WR2418	Cyril Bellweather	Great Orme Cross	2024-01-16	2026-01-15	\N	family history	hard of hearing, please speak up
3	WR2425	Ines Castellane	Lisbon	2024-02-06	2025-02-05	ines.castellane@uniporto.example	academic	\N
4	WR2432	Patrick Dunmore	Tolbury	2024-02-20	2026-02-19	pat.dunmore@post.example	family history	\N
5	WR2439	Honor Eskdale	Wicken Ferry	2024-03-05	2026-03-04	honor@eskdale.example	local history society	WFLHS secretary
6	WR2446	Giles Farrowby	Marl Heath	2024-03-12	2026-03-11	giles.farrowby@farrowbylaw.example	legal	\N
7	WR2453	Ruth Gantry	Tolbury	2024-04-02	2026-04-01	ruth.gantry@post.example	house history	\N
8	WR2460	Desmond Hollis	Stainby	2024-04-23	2026-04-22	\N	family history	\N
9	WR2467	Claudette Ivory	Marl Heath	2024-05-14	2026-05-13	c.ivory@fenmail.example	academic	PhD on poor law, Univ. of Stainby
10	WR2474	Norman Jessop	Wicken Ferry	2024-05-21	2026-05-20	njessop@post.example	local history society	\N
11	WR2481	Anya Kettleby	Stainby	2024-06-11	2026-06-10	anya.kettleby@stainby.example	academic	\N
12	WR2488	Barnaby Lumley	Tolbury	2024-07-02	2026-07-01	b.lumley@post.example	railway history	\N
13	WR2495	Sylvia Marchmont	Great Orme Cross	2024-07-16	2026-07-15	sylvia.marchmont@post.example	family history	\N
14	WR2502	Owen Nettleship	Stainby	2024-08-06	2026-08-05	owen.n@fenmail.example	family history	left glasses 14 Nov, collected
15	WR2509	Tunde Okonjo	Tolbury	2024-09-03	2026-09-02	tunde.okonjo@post.example	academic	\N
16	WR2516	Lettice Prewett	Marl Heath	2024-09-17	2026-09-16	\N	house history	\N
17	WR2523	Hamish Quayle	Douglas	2024-10-08	2026-10-07	hquayle@manxpost.example	family history	\N
18	WR2530	Tabitha Rushmere	Wicken Ferry	2024-10-22	2026-10-21	tabitha.rushmere@post.example	local history society	\N
19	WR2537	Leo Sandiford	Tolbury	2024-11-12	2026-11-11	leo.sandiford@post.example	legal	boundary dispute, hurry
20	WR2544	Winifred Thackray	Stainby	2025-01-14	2027-01-13	w.thackray@fenmail.example	family history	\N
21	WR2551	Joss Umber	Marl Heath	2025-02-04	2027-02-03	joss.umber@post.example	railway history	\N
22	WR2558	Pamela Vickery	Tolbury	2025-03-04	2027-03-03	pvickery@post.example	house history	\N
23	WR2565	Ralph Wexcombe	Great Orme Cross	2025-03-25	2027-03-24	\N	family history	registered at open day, not been back
24	WR2572	Femi Yardley	Stainby	2025-04-08	2027-04-07	femi.yardley@stainby.example	academic	\N
25	WR2579	Brigitte Zeller	Tolbury	2025-05-06	2027-05-05	b.zeller@post.example	family history	\N
\.


--
-- Data for Name: visit; Type: TABLE DATA; Schema: public; Owner: archive
--

COPY public.visit (visit_id, reader_id, visit_date, time_in, time_out, seat_no) FROM stdin;
3001	3	2024-02-06	10:00:00	12:45:00	4
3002	4	2024-02-20	09:50:00	11:15:00	10
3003	1	2024-03-01	11:30:00	12:15:00	9
3004	6	2024-03-12	09:35:00	11:25:00	9
3005	4	2024-03-12	09:50:00	13:40:00	2
3006	7	2024-04-02	13:00:00	16:30:00	1
3007	8	2024-04-23	11:30:00	14:15:00	2
3008	8	2024-04-26	13:25:00	15:45:00	3
3009	3	2024-05-09	09:50:00	14:20:00	1
3010	9	2024-05-14	10:00:00	13:50:00	9
3011	5	2024-05-28	11:30:00	13:20:00	2
3012	2	2024-05-30	13:25:00	14:50:00	7
3013	11	2024-06-11	10:30:00	11:55:00	6
3014	9	2024-06-14	10:30:00	13:15:00	7
3015	4	2024-06-28	09:50:00	14:55:00	1
3016	12	2024-07-02	09:50:00	13:05:00	7
3017	13	2024-07-16	10:15:00	11:25:00	3
3018	9	2024-07-23	09:30:00	13:20:00	10
3019	2	2024-07-25	09:35:00	11:25:00	10
3020	1	2024-08-08	10:15:00	14:05:00	4
3021	12	2024-08-09	10:30:00	15:35:00	7
3022	2	2024-08-14	13:00:00	14:25:00	3
3023	1	2024-08-15	10:30:00	11:40:00	7
3024	9	2024-08-15	11:00:00	12:10:00	2
3025	5	2024-08-23	10:15:00	15:20:00	2
3026	15	2024-09-03	09:35:00	14:40:00	10
3027	6	2024-09-04	09:50:00	14:55:00	9
3028	2	2024-09-25	12:00:00	13:10:00	3
3029	1	2024-09-27	12:00:00	13:25:00	10
3030	10	2024-10-01	09:30:00	11:20:00	3
3031	15	2024-10-02	11:30:00	12:15:00	10
3032	4	2024-10-04	10:15:00	12:05:00	2
3033	14	2024-11-07	10:15:00	11:25:00	3
3034	19	2024-11-12	09:50:00	11:00:00	2
3035	17	2024-11-27	09:30:00	12:15:00	7
3036	5	2024-11-27	11:00:00	13:20:00	3
3037	5	2024-11-28	13:00:00	16:15:00	5
3038	15	2024-11-29	12:00:00	14:45:00	6
3039	3	2025-01-10	11:30:00	12:15:00	10
3040	20	2025-01-14	09:35:00	11:00:00	1
3041	14	2025-01-30	10:30:00	14:20:00	5
3042	21	2025-02-04	09:30:00	11:20:00	5
3043	11	2025-02-04	13:25:00	14:35:00	3
3044	12	2025-02-06	11:30:00	13:20:00	7
3045	9	2025-02-14	10:00:00	11:10:00	8
3046	14	2025-02-25	11:00:00	15:30:00	6
3047	9	2025-02-26	10:15:00	11:00:00	8
3048	22	2025-03-04	10:15:00	11:40:00	1
3049	21	2025-03-06	10:15:00	11:00:00	10
3050	18	2025-04-03	10:00:00	12:45:00	5
3051	24	2025-04-08	13:00:00	14:10:00	6
3052	24	2025-04-16	10:00:00	11:10:00	3
3053	10	2025-04-17	10:15:00	14:45:00	2
3054	1	2025-04-22	13:00:00	16:30:00	9
3055	18	2025-05-02	11:30:00	12:55:00	7
3056	20	2025-05-06	13:25:00	16:30:00	4
3057	7	2025-05-07	13:25:00	14:10:00	8
3058	9	2025-05-08	13:00:00	15:45:00	2
3059	13	2025-05-09	09:35:00	14:40:00	9
3060	18	2025-05-22	10:15:00	14:05:00	3
3061	5	2025-05-29	13:25:00	14:50:00	6
3062	12	2025-05-29	13:25:00	16:30:00	8
3063	11	2025-06-04	13:00:00	16:30:00	4
3064	12	2025-06-05	10:15:00	12:35:00	4
3065	19	2025-06-06	10:15:00	14:45:00	6
3066	10	2025-06-18	12:00:00	13:50:00	5
3067	18	2025-06-19	11:30:00	14:15:00	8
3068	15	2025-06-20	13:00:00	\N	1
\.


--
-- Name: collection collection_pkey; Type: CONSTRAINT; Schema: public; Owner: archive
--

ALTER TABLE ONLY public.collection
    ADD CONSTRAINT collection_pkey PRIMARY KEY (coll_id);


--
-- Name: conservation_job conservation_job_pkey; Type: CONSTRAINT; Schema: public; Owner: archive
--

ALTER TABLE ONLY public.conservation_job
    ADD CONSTRAINT conservation_job_pkey PRIMARY KEY (job_id);


--
-- Name: copy_order copy_order_pkey; Type: CONSTRAINT; Schema: public; Owner: archive
--

ALTER TABLE ONLY public.copy_order
    ADD CONSTRAINT copy_order_pkey PRIMARY KEY (order_id);


--
-- Name: doc_request doc_request_pkey; Type: CONSTRAINT; Schema: public; Owner: archive
--

ALTER TABLE ONLY public.doc_request
    ADD CONSTRAINT doc_request_pkey PRIMARY KEY (request_id);


--
-- Name: document document_pkey; Type: CONSTRAINT; Schema: public; Owner: archive
--

ALTER TABLE ONLY public.document
    ADD CONSTRAINT document_pkey PRIMARY KEY (doc_id);


--
-- Name: reader reader_pkey; Type: CONSTRAINT; Schema: public; Owner: archive
--

ALTER TABLE ONLY public.reader
    ADD CONSTRAINT reader_pkey PRIMARY KEY (reader_id);


--
-- Name: visit visit_pkey; Type: CONSTRAINT; Schema: public; Owner: archive
--

ALTER TABLE ONLY public.visit
    ADD CONSTRAINT visit_pkey PRIMARY KEY (visit_id);


ALTER TABLE ONLY public.document
    ADD CONSTRAINT document_coll_id_fkey FOREIGN KEY (coll_id) REFERENCES public.collection(coll_id);


ALTER TABLE ONLY public.visit
    ADD CONSTRAINT visit_reader_id_fkey FOREIGN KEY (reader_id) REFERENCES public.reader(reader_id);


ALTER TABLE ONLY public.doc_request
    ADD CONSTRAINT doc_request_visit_id_fkey FOREIGN KEY (visit_id) REFERENCES public.visit(visit_id);


ALTER TABLE ONLY public.doc_request
    ADD CONSTRAINT doc_request_doc_id_fkey FOREIGN KEY (doc_id) REFERENCES public.document(doc_id);


ALTER TABLE ONLY public.conservation_job
    ADD CONSTRAINT conservation_job_doc_id_fkey FOREIGN KEY (doc_id) REFERENCES public.document(doc_id);


ALTER TABLE ONLY public.copy_order
    ADD CONSTRAINT copy_order_reader_id_fkey FOREIGN KEY (reader_id) REFERENCES public.reader(reader_id);


ALTER TABLE ONLY public.copy_order
    ADD CONSTRAINT copy_order_doc_id_fkey FOREIGN KEY (doc_id) REFERENCES public.document(doc_id);


--
-- PostgreSQL database dump complete
--
