--
-- PostgreSQL database dump
--

-- Dumped from database version 14.11 (Ubuntu 14.11-0ubuntu0.22.04.1)
-- Dumped by pg_dump version 14.11 (Ubuntu 14.11-0ubuntu0.22.04.1)

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
-- Name: mar_entries; Type: TABLE; Schema: public; Owner: hollybank
--

CREATE TABLE public.mar_entries (
    id integer NOT NULL,
    medication_id integer NOT NULL,
    due_at timestamp without time zone NOT NULL,
    outcome character varying(20) NOT NULL,
    given_at timestamp without time zone,
    signed_by integer,
    witness_id integer,
    comment text
);


ALTER TABLE public.mar_entries OWNER TO hollybank;

--
-- Name: mar_entries_id_seq; Type: SEQUENCE; Schema: public; Owner: hollybank
--

CREATE SEQUENCE public.mar_entries_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER TABLE public.mar_entries_id_seq OWNER TO hollybank;

--
-- Name: mar_entries_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: hollybank
--

ALTER SEQUENCE public.mar_entries_id_seq OWNED BY public.mar_entries.id;


--
-- Name: medications; Type: TABLE; Schema: public; Owner: hollybank
--

CREATE TABLE public.medications (
    id integer NOT NULL,
    resident_id integer NOT NULL,
    drug_name character varying(60) NOT NULL,
    strength character varying(20),
    dose_instructions character varying(80),
    route character varying(20) DEFAULT 'Oral'::character varying,
    is_controlled boolean DEFAULT false NOT NULL,
    prescribed_by character varying(60),
    start_date date NOT NULL,
    stop_date date,
    stock_count integer,
    stock_checked_on date
);


ALTER TABLE public.medications OWNER TO hollybank;

--
-- Name: medications_id_seq; Type: SEQUENCE; Schema: public; Owner: hollybank
--

CREATE SEQUENCE public.medications_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER TABLE public.medications_id_seq OWNER TO hollybank;

--
-- Name: medications_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: hollybank
--

ALTER SEQUENCE public.medications_id_seq OWNED BY public.medications.id;


--
-- Name: residents; Type: TABLE; Schema: public; Owner: hollybank
--

CREATE TABLE public.residents (
    id integer NOT NULL,
    full_name character varying(80) NOT NULL,
    preferred_name character varying(40),
    date_of_birth date NOT NULL,
    care_level character varying(20) NOT NULL,
    funding_type character varying(20) NOT NULL,
    weekly_fee numeric(8,2) NOT NULL,
    room_id integer,
    key_worker_id integer,
    gp_surgery character varying(60),
    diet character varying(30),
    admitted_on date NOT NULL,
    discharged_on date,
    discharge_reason character varying(60)
);


ALTER TABLE public.residents OWNER TO hollybank;

--
-- Name: residents_id_seq; Type: SEQUENCE; Schema: public; Owner: hollybank
--

CREATE SEQUENCE public.residents_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER TABLE public.residents_id_seq OWNER TO hollybank;

--
-- Name: residents_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: hollybank
--

ALTER SEQUENCE public.residents_id_seq OWNED BY public.residents.id;


--
-- Name: rooms; Type: TABLE; Schema: public; Owner: hollybank
--

CREATE TABLE public.rooms (
    id integer NOT NULL,
    room_no character varying(8) NOT NULL,
    floor character varying(20),
    wing character varying(20) NOT NULL,
    ensuite boolean DEFAULT false NOT NULL,
    weekly_rate numeric(8,2) NOT NULL,
    last_redecorated date
);


ALTER TABLE public.rooms OWNER TO hollybank;

--
-- Name: rooms_id_seq; Type: SEQUENCE; Schema: public; Owner: hollybank
--

CREATE SEQUENCE public.rooms_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER TABLE public.rooms_id_seq OWNER TO hollybank;

--
-- Name: rooms_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: hollybank
--

ALTER SEQUENCE public.rooms_id_seq OWNED BY public.rooms.id;


--
-- Name: shifts; Type: TABLE; Schema: public; Owner: hollybank
--

CREATE TABLE public.shifts (
    id integer NOT NULL,
    staff_id integer NOT NULL,
    shift_date date NOT NULL,
    shift_type character varying(10) NOT NULL,
    planned_start time without time zone NOT NULL,
    planned_end time without time zone NOT NULL,
    break_mins smallint DEFAULT 30 NOT NULL,
    wing character varying(20),
    status character varying(20) DEFAULT 'Planned'::character varying NOT NULL,
    covered_by integer,
    remarks text
);


ALTER TABLE public.shifts OWNER TO hollybank;

--
-- Name: shifts_id_seq; Type: SEQUENCE; Schema: public; Owner: hollybank
--

CREATE SEQUENCE public.shifts_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER TABLE public.shifts_id_seq OWNER TO hollybank;

--
-- Name: shifts_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: hollybank
--

ALTER SEQUENCE public.shifts_id_seq OWNED BY public.shifts.id;


--
-- Name: staff; Type: TABLE; Schema: public; Owner: hollybank
--

CREATE TABLE public.staff (
    id integer NOT NULL,
    full_name character varying(80) NOT NULL,
    job_title character varying(40) NOT NULL,
    contract_hours numeric(4,1),
    hourly_rate numeric(6,2),
    started_on date NOT NULL,
    left_on date,
    dbs_renewal_due date,
    manual_handling_exp date,
    phone character varying(20)
);


ALTER TABLE public.staff OWNER TO hollybank;

--
-- Name: staff_id_seq; Type: SEQUENCE; Schema: public; Owner: hollybank
--

CREATE SEQUENCE public.staff_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER TABLE public.staff_id_seq OWNER TO hollybank;

--
-- Name: staff_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: hollybank
--

ALTER SEQUENCE public.staff_id_seq OWNED BY public.staff.id;


--
-- Name: visits; Type: TABLE; Schema: public; Owner: hollybank
--

CREATE TABLE public.visits (
    id integer NOT NULL,
    resident_id integer NOT NULL,
    visitor_name character varying(80) NOT NULL,
    relationship character varying(30),
    visit_date date NOT NULL,
    time_in time without time zone NOT NULL,
    time_out time without time zone,
    signed_in_by integer
);


ALTER TABLE public.visits OWNER TO hollybank;

--
-- Name: visits_id_seq; Type: SEQUENCE; Schema: public; Owner: hollybank
--

CREATE SEQUENCE public.visits_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER TABLE public.visits_id_seq OWNER TO hollybank;

--
-- Name: visits_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: hollybank
--

ALTER SEQUENCE public.visits_id_seq OWNED BY public.visits.id;


--
-- Name: mar_entries id; Type: DEFAULT; Schema: public; Owner: hollybank
--

ALTER TABLE ONLY public.mar_entries ALTER COLUMN id SET DEFAULT nextval('public.mar_entries_id_seq'::regclass);


--
-- Name: medications id; Type: DEFAULT; Schema: public; Owner: hollybank
--

ALTER TABLE ONLY public.medications ALTER COLUMN id SET DEFAULT nextval('public.medications_id_seq'::regclass);


--
-- Name: residents id; Type: DEFAULT; Schema: public; Owner: hollybank
--

ALTER TABLE ONLY public.residents ALTER COLUMN id SET DEFAULT nextval('public.residents_id_seq'::regclass);


--
-- Name: rooms id; Type: DEFAULT; Schema: public; Owner: hollybank
--

ALTER TABLE ONLY public.rooms ALTER COLUMN id SET DEFAULT nextval('public.rooms_id_seq'::regclass);


--
-- Name: shifts id; Type: DEFAULT; Schema: public; Owner: hollybank
--

ALTER TABLE ONLY public.shifts ALTER COLUMN id SET DEFAULT nextval('public.shifts_id_seq'::regclass);


--
-- Name: staff id; Type: DEFAULT; Schema: public; Owner: hollybank
--

ALTER TABLE ONLY public.staff ALTER COLUMN id SET DEFAULT nextval('public.staff_id_seq'::regclass);


--
-- Name: visits id; Type: DEFAULT; Schema: public; Owner: hollybank
--

ALTER TABLE ONLY public.visits ALTER COLUMN id SET DEFAULT nextval('public.visits_id_seq'::regclass);


--
-- Data for Name: mar_entries; Type: TABLE DATA; Schema: public; Owner: hollybank
--

COPY public.mar_entries (id, medication_id, due_at, outcome, given_at, signed_by, witness_id, comment) FROM stdin;
2201	1	2025-03-10 08:00:00	Given	2025-03-10 08:10:00	2	\N	\N
2202	5	2025-03-10 08:00:00	Given	2025-03-10 08:16:00	2	\N	\N
2203	7	2025-03-10 08:30:00	Refused	\N	3	\N	Spat out, tried again at 09:15
2204	3	2025-03-10 08:00:00	Given	2025-03-10 08:22:00	2	\N	\N
2205	12	2025-03-10 08:00:00	Given	2025-03-10 08:35:00	3	\N	\N
2206	16	2025-03-10 10:00:00	Given	2025-03-10 10:05:00	5	2	\N
2207	8	2025-03-10 21:00:00	Given	2025-03-10 21:12:00	7	\N	\N
2208	2	2025-03-10 21:00:00	Given	2025-03-10 21:20:00	7	\N	\N
2209	9	2025-03-10 21:00:00	Asleep	\N	7	\N	\N
2210	18	2025-03-10 21:00:00	Given	2025-03-10 21:30:00	5	7	\N
2211	1	2025-03-11 08:00:00	Given	2025-03-11 08:05:00	3	\N	\N
2212	13	2025-03-11 08:00:00	Refused	\N	3	\N	\N
2213	14	2025-03-11 08:00:00	Given	2025-03-11 08:25:00	3	\N	\N
2214	20	2025-03-11 08:00:00	Given	2025-03-11 08:31:00	2	\N	\N
2215	21	2025-03-11 11:00:00	Given	2025-03-11 11:10:00	5	3	Pain score 6
2216	7	2025-03-11 08:30:00	Given	2025-03-11 08:40:00	2	\N	\N
2217	15	2025-03-11 21:00:00	Given	2025-03-11 21:08:00	10	\N	\N
2218	8	2025-03-11 21:00:00	Out of stock	\N	10	\N	Chased pharmacy
2219	10	2025-03-12 07:30:00	Given	2025-03-12 07:41:00	2	\N	\N
2220	6	2025-03-12 07:30:00	Given	2025-03-12 07:48:00	2	\N	\N
2221	7	2025-03-12 08:30:00	Refused	\N	2	\N	\N
2222	17	2025-03-12 08:00:00	Given	2025-03-12 08:20:00	5	\N	\N
2223	25	2025-03-12 08:00:00	Given	2025-03-12 08:26:00	5	\N	\N
2224	23	2025-03-12 21:00:00	Asleep	\N	10	\N	\N
2225	4	2025-03-12 12:00:00	Refused	\N	3	\N	Says no pain today
2226	24	2025-03-13 08:00:00	Given	2025-03-13 08:09:00	2	\N	\N
2227	22	2025-03-13 07:30:00	Given	2025-03-13 07:44:00	3	\N	\N
2228	18	2025-03-13 21:00:00	Given	2025-03-13 21:05:00	5	10	\N
\.


--
-- Data for Name: medications; Type: TABLE DATA; Schema: public; Owner: hollybank
--

COPY public.medications (id, resident_id, drug_name, strength, dose_instructions, route, is_controlled, prescribed_by, start_date, stop_date, stock_count, stock_checked_on) FROM stdin;
1	1	Amlodipine	5mg	One in the morning	Oral	f	Dr Helen Foyle	2022-06-01	\N	21	2025-03-09
2	1	Atorvastatin	20mg	One at night	Oral	f	Dr Helen Foyle	2022-06-01	\N	18	2025-03-09
3	2	Furosemide	40mg	One in the morning	Oral	f	Dr Helen Foyle	2023-02-14	\N	9	2025-03-09
4	2	Paracetamol	500mg	Two up to four times a day	Oral	f	Dr Helen Foyle	2021-11-05	\N	64	2025-03-09
5	3	Amlodipine	10mg	One in the morning	Oral	f	Dr Imran Siddiqui	2021-01-11	\N	25	2025-03-09
6	3	Lansoprazole	15mg	One before breakfast	Oral	f	Dr Imran Siddiqui	2022-07-19	\N	14	2025-03-09
7	4	Metformin	500mg	One with breakfast and one with tea	Oral	f	Dr Helen Foyle	2023-10-12	\N	40	2025-03-09
8	4	Donepezil	10mg	One at night	Oral	f	Dr Helen Foyle	2023-10-12	\N	6	2025-03-09
9	4	Atorvastatin	20mg	One at night	Oral	f	Dr Helen Foyle	2023-10-12	\N	16	2025-03-09
10	5	Levothyroxine	75mcg	One before breakfast	Oral	f	Dr Imran Siddiqui	2024-01-25	\N	28	2025-03-09
11	6	Paracetamol	500mg	Two when needed	Oral	f	Dr Helen Foyle	2021-03-01	2025-03-08	\N	\N
12	7	Memantine	10mg	One in the morning	Oral	f	Dr Imran Siddiqui	2023-06-15	\N	12	2025-03-10
13	7	Lactulose	3.35g/5ml	15ml twice a day	Oral	f	Dr Imran Siddiqui	2024-05-02	\N	\N	\N
14	8	Amlodipine	5mg	One in the morning	Oral	f	Dr Helen Foyle	2022-09-08	\N	22	2025-03-10
15	8	Atorvastatin	40mg	One at night	Oral	f	Dr Helen Foyle	2023-04-20	\N	11	2025-03-10
16	9	Buprenorphine	5mcg/hr	One patch every 7 days	Transdermal	t	Dr Helen Foyle	2024-02-06	\N	3	2025-03-10
17	9	Furosemide	20mg	One in the morning	Oral	f	Dr Helen Foyle	2022-12-12	\N	17	2025-03-10
18	10	Insulin glargine	100 units/ml	12 units at night	Subcutaneous	f	Dr Imran Siddiqui	2024-11-18	\N	4	2025-03-10
19	11	Donepezil	5mg	One at night	Oral	f	\N	2023-03-10	2024-08-01	\N	\N
20	11	Memantine	20mg	One in the morning	Oral	f	Dr Imran Siddiqui	2024-08-02	\N	20	2025-03-10
21	12	Morphine sulfate	10mg/5ml	2.5ml when needed	Oral	t	Dr Helen Foyle	2025-01-21	\N	1	2025-03-10
22	12	Lansoprazole	30mg	One before breakfast	Oral	f	Dr Helen Foyle	2024-08-01	\N	23	2025-03-10
23	14	Atorvastatin	20mg	One at night	Oral	f	Dr Imran Siddiqui	2022-02-03	\N	19	2025-03-10
24	14	Amlodipine	5mg	One in the morning	Oral	f	Dr Imran Siddiqui	2024-10-10	\N	27	2025-03-10
25	15	Amlodipine	5mg	One in the morning	Oral	f	Dr Helen Foyle	2025-02-27	\N	26	2025-03-10
\.


--
-- Data for Name: residents; Type: TABLE DATA; Schema: public; Owner: hollybank
--

COPY public.residents (id, full_name, preferred_name, date_of_birth, care_level, funding_type, weekly_fee, room_id, key_worker_id, gp_surgery, diet, admitted_on, discharged_on, discharge_reason) FROM stdin;
1	Dorothy Pemberton	Dot	1936-02-11	Residential	Self-funded	985.00	1	4	Ashbrook Surgery	Normal	2022-05-16	\N	\N
2	Harold Entwistle	\N	1931-09-30	Nursing	Local authority	1042.50	2	2	Ashbrook Surgery	Soft	2021-11-02	\N	\N
3	Winifred Cole	Winnie	1929-12-04	Residential	Local authority	868.00	3	8	Mill Lane Practice	Normal	2020-08-24	\N	\N
4	Arthur Bexley	\N	1938-06-19	Dementia	Self-funded	1095.00	4	3	Ashbrook Surgery	Diabetic	2023-10-09	\N	\N
5	Joan Ridgway	\N	1934-03-27	Residential	Self-funded	1020.00	5	6	Mill Lane Practice	Normal	2024-01-22	\N	\N
6	Leonard Fitch	Len	1933-07-15	Residential	Local authority	868.00	6	4	Ashbrook Surgery	Normal	2021-02-15	2025-03-08	Moved nearer to family
7	Maureen Tattersall	Mo	1940-10-02	Dementia	NHS CHC	1180.00	7	3	Mill Lane Practice	Pureed	2023-06-12	\N	\N
8	Stanley Gough	\N	1930-01-23	Residential	Local authority	885.75	8	8	Ashbrook Surgery	Normal	2022-09-05	\N	\N
9	Edith Lomas	Edie	1928-05-08	Nursing	Self-funded	1140.00	9	2	Ashbrook Surgery	Soft	2019-04-29	\N	\N
10	Raymond Sharples	Ray	1937-11-11	Residential	Self-funded	930.00	10	11	Mill Lane Practice	Diabetic	2024-11-18	\N	\N
11	Sheila Warburton	\N	1935-08-31	Dementia	Local authority	1075.25	11	3	\N	Normal	2023-03-06	\N	\N
12	Norman Catterall	\N	1932-04-17	Nursing	NHS CHC	1215.00	12	2	Ashbrook Surgery	Pureed	2024-07-30	\N	\N
13	Beryl Hancock	\N	1939-09-09	Residential	Self-funded	930.00	13	6	Mill Lane Practice	Vegetarian	2024-03-11	2025-02-20	Deceased
14	Kenneth Aspinall	Ken	1934-12-28	Residential	Local authority	885.75	14	8	Mill Lane Practice	Normal	2022-01-17	\N	\N
15	Audrey Whitlock	\N	1931-02-02	Nursing	Self-funded	1155.00	13	11	Ashbrook Surgery	Soft	2025-02-27	\N	\N
16	Philip Dearden	Phil	1941-06-06	Residential	Self-funded	945.00	6	4	\N	Normal	2025-03-17	\N	\N
\.


--
-- Data for Name: rooms; Type: TABLE DATA; Schema: public; Owner: hollybank
--

COPY public.rooms (id, room_no, floor, wing, ensuite, weekly_rate, last_redecorated) FROM stdin;
1	G01	Ground	Garden	t	985.00	2023-04-14
2	G02	Ground	Garden	t	985.00	2021-09-30
3	G03	Ground	Garden	f	910.00	\N
4	G04	Ground	Garden	t	985.00	2024-02-19
5	G05	Ground	Garden	t	1020.00	2022-11-07
6	G06	Ground	Garden	f	910.00	2020-06-22
7	G07	Ground	Orchard	t	1020.00	2023-08-11
8	G08	Ground	Orchard	t	985.00	\N
9	101	First	Garden	t	960.00	2022-03-15
10	102	First	Garden	f	890.00	2019-10-28
11	103	First	Garden	t	960.00	2024-07-05
12	104	First	Orchard	t	960.00	2021-05-17
13	105	First	Orchard	f	890.00	2023-01-23
14	106	First	Orchard	t	1060.00	2024-10-01
15	107	First	Orchard	t	1060.00	\N
16	108	First	Orchard	f	890.00	2018-12-03
\.


--
-- Data for Name: shifts; Type: TABLE DATA; Schema: public; Owner: hollybank
--

COPY public.shifts (id, staff_id, shift_date, shift_type, planned_start, planned_end, break_mins, wing, status, covered_by, remarks) FROM stdin;
401	4	2025-02-26	Early	07:00:00	14:30:00	30	Garden	Worked	\N	\N
402	8	2025-02-26	Late	14:00:00	21:30:00	30	Orchard	Sick	6	Rang in 06:40, stomach bug
403	7	2025-02-27	Night	21:00:00	07:30:00	45	Garden	Sick	10	\N
404	2	2025-02-28	Early	07:00:00	14:30:00	30	Orchard	Worked	\N	\N
405	3	2025-03-03	Early	07:00:00	14:30:00	30	Garden	Worked	\N	\N
406	13	2025-03-03	Early	07:00:00	14:30:00	30	Garden	Worked	\N	Induction, shadowing Beata
407	6	2025-03-04	Late	14:00:00	21:30:00	30	Garden	Sick	8	Migraine
408	10	2025-03-05	Night	21:00:00	07:30:00	45	Orchard	Worked	\N	\N
409	11	2025-03-06	Early	07:00:00	14:30:00	30	Orchard	Annual leave	4	\N
410	5	2025-03-07	Early	07:00:00	14:30:00	30	Garden	Worked	\N	\N
411	4	2025-03-08	Late	14:00:00	21:30:00	30	Garden	Worked	\N	\N
412	7	2025-03-10	Night	21:00:00	07:30:00	45	Garden	Worked	\N	\N
413	2	2025-03-10	Early	07:00:00	14:30:00	30	Orchard	Worked	\N	\N
414	3	2025-03-11	Late	14:00:00	21:30:00	30	Garden	Worked	\N	\N
415	8	2025-03-11	Early	07:00:00	14:30:00	30	Garden	Worked	\N	\N
416	10	2025-03-12	Night	21:00:00	07:30:00	45	Orchard	Sick	7	\N
417	6	2025-03-12	Late	14:00:00	21:30:00	30	Orchard	Worked	\N	\N
418	2	2025-03-13	Late	14:00:00	21:30:00	30	Orchard	Worked	\N	\N
419	11	2025-03-14	Early	07:00:00	14:30:00	30	Garden	Sick	\N	Not covered, ran one short
420	13	2025-03-15	Late	14:00:00	21:30:00	30	Orchard	Swapped	11	Swapped with Ellie for 22 March
421	5	2025-03-17	Early	07:00:00	14:30:00	30	Garden	Worked	\N	\N
422	4	2025-03-18	Early	07:00:00	14:30:00	30	Garden	Sick	13	Back pain
423	7	2025-03-19	Night	21:00:00	07:30:00	45	Orchard	Worked	\N	\N
424	8	2025-03-20	Late	14:00:00	21:30:00	30	Garden	Annual leave	6	\N
425	3	2025-03-24	Early	07:00:00	14:30:00	30	Orchard	Sick	2	\N
426	10	2025-03-27	Night	21:00:00	07:30:00	45	Garden	Worked	\N	\N
427	6	2025-04-01	Early	07:00:00	14:30:00	30	Garden	Sick	4	\N
428	2	2025-04-02	Early	07:00:00	14:30:00	30	Orchard	Planned	\N	\N
\.


--
-- Data for Name: staff; Type: TABLE DATA; Schema: public; Owner: hollybank
--

COPY public.staff (id, full_name, job_title, contract_hours, hourly_rate, started_on, left_on, dbs_renewal_due, manual_handling_exp, phone) FROM stdin;
1	Margaret Oakley	Registered Manager	37.5	24.10	2014-09-01	\N	2026-04-12	2025-11-20	07700 900114
2	Samuel Osei	Senior Carer	36.0	14.60	2017-03-20	\N	2025-05-18	2026-01-15	07700 900127
3	Beata Nowak	Senior Carer	40.0	14.60	2019-06-03	\N	2026-02-09	2025-05-30	07700 900163
4	Kieran Doyle	Care Assistant	30.0	12.45	2021-11-15	\N	2025-06-22	2025-09-12	\N
5	Priya Nair	Registered Nurse	36.0	19.80	2020-01-13	\N	2026-08-30	2025-06-11	07700 900175
6	Charlotte Webb	Care Assistant	24.0	12.21	2023-04-17	\N	2026-04-01	2026-02-26	07700 900188
7	Daniel Hughes	Night Care Assistant	33.0	13.10	2018-10-08	\N	2025-10-11	2025-04-08	07700 900191
8	Fatima Rahman	Care Assistant	37.5	12.45	2022-08-01	\N	2025-04-30	2025-12-04	07700 900206
9	Joanne Pickering	Activities Coordinator	20.0	12.90	2016-05-09	\N	2026-05-20	\N	07700 900219
10	Tomasz Wolski	Night Care Assistant	33.0	13.10	2022-02-21	\N	2025-07-14	2025-10-02	07700 900230
11	Ellie Marsden	Care Assistant	30.0	12.21	2024-09-02	\N	2027-09-02	2025-09-05	\N
12	Graham Tully	Care Assistant	36.0	12.21	2020-07-06	2024-12-31	2026-07-06	2025-03-19	07700 900247
13	Olivia Brand	Care Assistant	24.0	12.21	2025-03-03	\N	\N	2026-03-04	07700 900258
\.


--
-- Data for Name: visits; Type: TABLE DATA; Schema: public; Owner: hollybank
--

COPY public.visits (id, resident_id, visitor_name, relationship, visit_date, time_in, time_out, signed_in_by) FROM stdin;
1301	1	Susan Pemberton	Daughter	2025-02-02	14:05:00	15:40:00	4
1302	13	Colin Hancock	Son	2025-02-03	10:30:00	12:00:00	8
1303	2	Richard Entwistle	Son	2025-02-05	16:10:00	17:00:00	3
1304	6	Jill Fitch	Niece	2025-02-08	11:00:00	12:15:00	6
1305	5	Barbara Ridgway	Sister	2025-02-09	14:30:00	16:00:00	\N
1306	1	Peter Pemberton	Son	2025-02-09	15:00:00	16:20:00	4
1307	13	Colin Hancock	Son	2025-02-15	10:45:00	13:10:00	8
1308	9	Alison Lomas	Granddaughter	2025-02-16	13:30:00	14:25:00	2
1309	1	Susan Pemberton	Daughter	2025-02-23	14:10:00	15:30:00	11
1310	6	Jill Fitch	Niece	2025-02-23	11:15:00	12:00:00	6
1311	15	Martin Whitlock	Husband	2025-02-28	10:00:00	12:45:00	2
1312	15	Martin Whitlock	Husband	2025-03-02	10:05:00	12:30:00	4
1313	5	Barbara Ridgway	Sister	2025-03-02	14:20:00	15:50:00	4
1314	10	Janet Sharples	Wife	2025-03-05	13:00:00	\N	6
1315	15	Martin Whitlock	Husband	2025-03-06	10:00:00	12:40:00	8
1316	14	Rev. Simon Croft	Chaplain	2025-03-07	11:00:00	11:30:00	5
1317	2	Richard Entwistle	Son	2025-03-09	15:45:00	16:50:00	3
1318	7	Gary Tattersall	Son	2025-03-09	14:00:00	14:40:00	3
1319	10	Janet Sharples	Wife	2025-03-12	13:10:00	15:15:00	6
1320	1	Susan Pemberton	Daughter	2025-03-16	14:00:00	15:35:00	4
1321	4	Diane Bexley	Daughter	2025-03-16	16:00:00	17:20:00	8
1322	15	Martin Whitlock	Husband	2025-03-18	10:00:00	12:30:00	2
1323	16	Lucy Dearden	Daughter	2025-03-19	17:30:00	18:10:00	11
1324	1	Peter Pemberton	Son	2025-03-22	11:00:00	12:05:00	6
1325	4	Susan Pemberton	Friend	2025-03-23	15:00:00	\N	6
1326	5	Barbara Ridgway	Sister	2025-03-23	14:30:00	16:05:00	8
\.


--
-- Name: mar_entries_id_seq; Type: SEQUENCE SET; Schema: public; Owner: hollybank
--

SELECT pg_catalog.setval('public.mar_entries_id_seq', 2228, true);


--
-- Name: medications_id_seq; Type: SEQUENCE SET; Schema: public; Owner: hollybank
--

SELECT pg_catalog.setval('public.medications_id_seq', 25, true);


--
-- Name: residents_id_seq; Type: SEQUENCE SET; Schema: public; Owner: hollybank
--

SELECT pg_catalog.setval('public.residents_id_seq', 16, true);


--
-- Name: rooms_id_seq; Type: SEQUENCE SET; Schema: public; Owner: hollybank
--

SELECT pg_catalog.setval('public.rooms_id_seq', 16, true);


--
-- Name: shifts_id_seq; Type: SEQUENCE SET; Schema: public; Owner: hollybank
--

SELECT pg_catalog.setval('public.shifts_id_seq', 428, true);


--
-- Name: staff_id_seq; Type: SEQUENCE SET; Schema: public; Owner: hollybank
--

SELECT pg_catalog.setval('public.staff_id_seq', 13, true);


--
-- Name: visits_id_seq; Type: SEQUENCE SET; Schema: public; Owner: hollybank
--

SELECT pg_catalog.setval('public.visits_id_seq', 1326, true);


--
-- Name: mar_entries mar_entries_pkey; Type: CONSTRAINT; Schema: public; Owner: hollybank
--

ALTER TABLE ONLY public.mar_entries
    ADD CONSTRAINT mar_entries_pkey PRIMARY KEY (id);


--
-- Name: medications medications_pkey; Type: CONSTRAINT; Schema: public; Owner: hollybank
--

ALTER TABLE ONLY public.medications
    ADD CONSTRAINT medications_pkey PRIMARY KEY (id);


--
-- Name: residents residents_pkey; Type: CONSTRAINT; Schema: public; Owner: hollybank
--

ALTER TABLE ONLY public.residents
    ADD CONSTRAINT residents_pkey PRIMARY KEY (id);


--
-- Name: rooms rooms_pkey; Type: CONSTRAINT; Schema: public; Owner: hollybank
--

ALTER TABLE ONLY public.rooms
    ADD CONSTRAINT rooms_pkey PRIMARY KEY (id);


--
-- Name: shifts shifts_pkey; Type: CONSTRAINT; Schema: public; Owner: hollybank
--

ALTER TABLE ONLY public.shifts
    ADD CONSTRAINT shifts_pkey PRIMARY KEY (id);


--
-- Name: staff staff_pkey; Type: CONSTRAINT; Schema: public; Owner: hollybank
--

ALTER TABLE ONLY public.staff
    ADD CONSTRAINT staff_pkey PRIMARY KEY (id);


--
-- Name: visits visits_pkey; Type: CONSTRAINT; Schema: public; Owner: hollybank
--

ALTER TABLE ONLY public.visits
    ADD CONSTRAINT visits_pkey PRIMARY KEY (id);


--
-- Name: rooms rooms_room_no_key; Type: CONSTRAINT; Schema: public; Owner: hollybank
--

ALTER TABLE ONLY public.rooms
    ADD CONSTRAINT rooms_room_no_key UNIQUE (room_no);


--
-- Name: visits_visit_date_idx; Type: INDEX; Schema: public; Owner: hollybank
--

CREATE INDEX visits_visit_date_idx ON public.visits USING btree (visit_date);


--
-- Name: mar_entries mar_entries_medication_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: hollybank
--

ALTER TABLE ONLY public.mar_entries
    ADD CONSTRAINT mar_entries_medication_id_fkey FOREIGN KEY (medication_id) REFERENCES public.medications(id);


--
-- Name: mar_entries mar_entries_signed_by_fkey; Type: FK CONSTRAINT; Schema: public; Owner: hollybank
--

ALTER TABLE ONLY public.mar_entries
    ADD CONSTRAINT mar_entries_signed_by_fkey FOREIGN KEY (signed_by) REFERENCES public.staff(id);


--
-- Name: mar_entries mar_entries_witness_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: hollybank
--

ALTER TABLE ONLY public.mar_entries
    ADD CONSTRAINT mar_entries_witness_id_fkey FOREIGN KEY (witness_id) REFERENCES public.staff(id);


--
-- Name: medications medications_resident_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: hollybank
--

ALTER TABLE ONLY public.medications
    ADD CONSTRAINT medications_resident_id_fkey FOREIGN KEY (resident_id) REFERENCES public.residents(id);


--
-- Name: residents residents_key_worker_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: hollybank
--

ALTER TABLE ONLY public.residents
    ADD CONSTRAINT residents_key_worker_id_fkey FOREIGN KEY (key_worker_id) REFERENCES public.staff(id);


--
-- Name: residents residents_room_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: hollybank
--

ALTER TABLE ONLY public.residents
    ADD CONSTRAINT residents_room_id_fkey FOREIGN KEY (room_id) REFERENCES public.rooms(id);


--
-- Name: shifts shifts_covered_by_fkey; Type: FK CONSTRAINT; Schema: public; Owner: hollybank
--

ALTER TABLE ONLY public.shifts
    ADD CONSTRAINT shifts_covered_by_fkey FOREIGN KEY (covered_by) REFERENCES public.staff(id);


--
-- Name: shifts shifts_staff_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: hollybank
--

ALTER TABLE ONLY public.shifts
    ADD CONSTRAINT shifts_staff_id_fkey FOREIGN KEY (staff_id) REFERENCES public.staff(id);


--
-- Name: visits visits_resident_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: hollybank
--

ALTER TABLE ONLY public.visits
    ADD CONSTRAINT visits_resident_id_fkey FOREIGN KEY (resident_id) REFERENCES public.residents(id);


--
-- Name: visits visits_signed_in_by_fkey; Type: FK CONSTRAINT; Schema: public; Owner: hollybank
--

ALTER TABLE ONLY public.visits
    ADD CONSTRAINT visits_signed_in_by_fkey FOREIGN KEY (signed_in_by) REFERENCES public.staff(id);


--
-- PostgreSQL database dump complete
--

