PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE teachers (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  main_language TEXT,
  contract TEXT,
  hired_on DATE,
  hourly_rate REAL,
  left_on DATE,
  email TEXT
);
INSERT INTO teachers VALUES(1,'Catherine Moseley','English','full-time','2015-09-01',31.00,NULL,'c.moseley@harbourlanguages.example');
INSERT INTO teachers VALUES(2,'Javier Montero','Spanish','full-time','2018-01-15',29.50,NULL,'j.montero@harbourlanguages.example');
INSERT INTO teachers VALUES(3,'Amélie Rousset','French','part-time','2019-09-02',28.00,NULL,'a.rousset@harbourlanguages.example');
INSERT INTO teachers VALUES(4,'Thomas Brandt','German','freelance','2021-03-10',34.00,NULL,'t.brandt@harbourlanguages.example');
INSERT INTO teachers VALUES(5,'Hannah Whitlock','English','part-time','2022-09-05',27.50,NULL,'h.whitlock@harbourlanguages.example');
INSERT INTO teachers VALUES(6,'Giulia Ferrante','Italian','freelance','2020-02-17',33.00,NULL,'g.ferrante@harbourlanguages.example');
INSERT INTO teachers VALUES(7,'Samuel Okoro','English','full-time','2023-01-09',28.50,NULL,'s.okoro@harbourlanguages.example');
INSERT INTO teachers VALUES(8,'Lucía Prados','Spanish','freelance','2017-10-02',30.00,'2024-12-20',NULL);
CREATE TABLE courses (
  id INTEGER PRIMARY KEY,
  code TEXT UNIQUE NOT NULL,
  title TEXT NOT NULL,
  language TEXT NOT NULL,
  level TEXT,
  teacher_id INTEGER REFERENCES teachers(id),
  room TEXT,
  days TEXT,
  start_date DATE,
  end_date DATE,
  max_students INTEGER,
  price_gbp REAL
);
INSERT INTO courses VALUES(1,'EN-A2-25A','English Elementary','English','A2',5,'Room 1','Mon/Wed','2025-01-13','2025-03-26',10,390.00);
INSERT INTO courses VALUES(2,'EN-B1-25A','English Intermediate','English','B1',1,'Room 2','Tue/Thu','2025-01-14','2025-03-27',12,410.00);
INSERT INTO courses VALUES(3,'EN-B2-25A','English Upper Intermediate','English','B2',7,'Room 2','Mon/Wed','2025-01-13','2025-03-26',12,430.00);
INSERT INTO courses VALUES(4,'EN-C1-BUS','Business English Advanced','English','C1',1,'Room 4','Fri','2025-01-17','2025-03-28',8,520.00);
INSERT INTO courses VALUES(5,'ES-A1-25A','Spanish for Beginners','Spanish','A1',2,'Room 3','Tue/Thu','2025-01-14','2025-03-27',12,380.00);
INSERT INTO courses VALUES(6,'ES-B1-25A','Spanish Intermediate','Spanish','B1',2,'Room 3','Mon','2025-01-20','2025-03-31',12,395.00);
INSERT INTO courses VALUES(7,'FR-A1-25A','French for Beginners','French','A1',3,'Room 5','Fri','2025-01-17','2025-03-28',12,360.00);
INSERT INTO courses VALUES(8,'FR-B2-25A','French Conversation','French','B2',3,'Room 5','Thu','2025-01-16','2025-03-27',6,440.00);
INSERT INTO courses VALUES(9,'DE-A2-25A','German Elementary','German','A2',4,'Room 4','Sat','2025-01-18','2025-03-29',10,385.00);
INSERT INTO courses VALUES(10,'IT-A1-25A','Italian for Travellers','Italian','A1',6,'Room 1','Thu','2025-01-23','2025-03-20',8,320.00);
INSERT INTO courses VALUES(11,'DE-B2-25B','German Business Writing','German','B2',NULL,NULL,'Mon','2025-05-05','2025-06-30',8,480.00);
CREATE TABLE students (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  email TEXT,
  phone TEXT,
  birth_date DATE,
  native_language TEXT,
  signup_date DATE,
  status TEXT DEFAULT 'active'
);
INSERT INTO students VALUES(1,'Marta Lindqvist','marta.lindqvist@mail.example','07700 900037','1991-04-12','Swedish','2024-11-25','active');
INSERT INTO students VALUES(2,'Pedro Almeida','pedro.almeida@mail.example','07700 900074','1988-09-30','Portuguese','2024-11-29','active');
INSERT INTO students VALUES(3,'Yuki Tanabe','yuki.tanabe@mail.example',NULL,'1999-02-17','Japanese','2024-12-01','active');
INSERT INTO students VALUES(4,'Fatima Haddad','fatima.haddad@mail.example','07700 900148','1985-06-05','Arabic','2024-12-02','active');
INSERT INTO students VALUES(5,'Oliver Grant','oliver.grant@mail.example','07700 900185','1976-11-23','English','2023-09-11','active');
INSERT INTO students VALUES(6,'Sophie Keane','sophie.keane@mail.example','07700 900222','1994-08-08','English','2024-01-08','active');
INSERT INTO students VALUES(7,'Dmitri Volkov','dmitri.volkov@mail.example','07700 900259','1982-03-19','Russian','2024-12-06','active');
INSERT INTO students VALUES(8,'Ana Beltrán','ana.beltran@mail.example','07700 900296','1990-12-01','Spanish','2023-09-04','active');
INSERT INTO students VALUES(9,'Lukas Steiner','lukas.steiner@mail.example','07700 900333','1987-07-27','German','2024-12-09','active');
INSERT INTO students VALUES(10,'Emily Rowntree','emily.rowntree@mail.example','07700 900370','2001-05-14','English','2025-01-03','active');
INSERT INTO students VALUES(11,'Hassan Yildiz','hassan.yildiz@mail.example','07700 900407','1996-10-10','Turkish','2024-12-13','active');
INSERT INTO students VALUES(12,'Chloé Garnier','chloe.garnier@mail.example','07700 900444','1998-01-22','French','2024-09-02','active');
INSERT INTO students VALUES(13,'Daniel Prior','daniel.prior@mail.example','07700 900481','1969-04-04','English','2025-01-04','active');
INSERT INTO students VALUES(14,'Ingrid Solheim','ingrid.solheim@mail.example',NULL,NULL,'Norwegian','2024-09-09','active');
INSERT INTO students VALUES(15,'Rafael Pinto','rafael.pinto@mail.example','07700 900555','2003-03-03','Portuguese','2025-01-06','active');
INSERT INTO students VALUES(16,'Nadia Petrova','nadia.petrova@mail.example','07700 900592','1993-09-16','Bulgarian','2025-01-06','active');
INSERT INTO students VALUES(17,'George Ashworth',NULL,'07700 900629','1958-02-28','English','2025-01-07','active');
INSERT INTO students VALUES(18,'Mei Zhang','mei.zhang@mail.example','07700 900666','1997-06-21','Chinese','2025-01-07','paused');
INSERT INTO students VALUES(19,'Tomasz Wieczorek','tomasz.wieczorek@mail.example',NULL,'1989-08-13','Polish','2024-12-14','active');
INSERT INTO students VALUES(20,'Isabel Navarro','isabel.navarro@mail.example','07700 900740','1992-10-29','Spanish','2024-09-03','active');
INSERT INTO students VALUES(21,'Ruth Calloway','ruth.calloway@mail.example','07700 900777','1964-12-12','English','2025-03-01','prospect');
INSERT INTO students VALUES(22,'Karim Benali','karim.benali@mail.example',NULL,NULL,'Arabic','2025-03-08','prospect');
INSERT INTO students VALUES(23,'Beatrice Holm','beatrice.holm@mail.example','07700 900851','1995-05-25','Danish','2025-03-17','prospect');
CREATE TABLE enrolments (
  id INTEGER PRIMARY KEY,
  student_id INTEGER NOT NULL REFERENCES students(id),
  course_id INTEGER NOT NULL REFERENCES courses(id),
  enrolled_on DATE,
  withdrawn_on DATE,
  discount_pct INTEGER DEFAULT 0
);
INSERT INTO enrolments VALUES(1,1,3,'2024-12-02',NULL,0);
INSERT INTO enrolments VALUES(2,1,7,'2025-01-08',NULL,10);
INSERT INTO enrolments VALUES(3,2,2,'2024-12-05',NULL,0);
INSERT INTO enrolments VALUES(4,3,1,'2024-12-06',NULL,0);
INSERT INTO enrolments VALUES(5,4,2,'2024-12-09',NULL,0);
INSERT INTO enrolments VALUES(6,5,5,'2025-01-06',NULL,0);
INSERT INTO enrolments VALUES(7,6,7,'2024-12-18',NULL,0);
INSERT INTO enrolments VALUES(8,6,10,'2024-12-18',NULL,10);
INSERT INTO enrolments VALUES(9,7,3,'2024-12-12',NULL,0);
INSERT INTO enrolments VALUES(10,8,4,'2024-12-10',NULL,0);
INSERT INTO enrolments VALUES(11,8,9,'2024-12-13',NULL,10);
INSERT INTO enrolments VALUES(12,9,4,'2024-12-13',NULL,0);
INSERT INTO enrolments VALUES(13,9,6,'2024-12-16',NULL,10);
INSERT INTO enrolments VALUES(14,10,5,'2025-01-03',NULL,0);
INSERT INTO enrolments VALUES(15,10,10,'2025-01-10',NULL,10);
INSERT INTO enrolments VALUES(16,11,1,'2024-12-18',NULL,0);
INSERT INTO enrolments VALUES(17,12,2,'2024-12-19',NULL,0);
INSERT INTO enrolments VALUES(18,12,9,'2025-01-10',NULL,10);
INSERT INTO enrolments VALUES(19,13,6,'2025-01-09',NULL,0);
INSERT INTO enrolments VALUES(20,14,3,'2024-12-20',NULL,0);
INSERT INTO enrolments VALUES(21,14,5,'2024-12-20',NULL,10);
INSERT INTO enrolments VALUES(22,15,1,'2025-01-07',NULL,15);
INSERT INTO enrolments VALUES(23,16,3,'2025-01-09',NULL,0);
INSERT INTO enrolments VALUES(24,17,8,'2025-01-09',NULL,0);
INSERT INTO enrolments VALUES(25,18,2,'2025-01-10','2025-02-10',0);
INSERT INTO enrolments VALUES(26,19,1,'2024-12-18',NULL,0);
INSERT INTO enrolments VALUES(27,19,9,'2025-01-09',NULL,10);
INSERT INTO enrolments VALUES(28,20,3,'2024-12-20',NULL,0);
CREATE TABLE lessons (
  id INTEGER PRIMARY KEY,
  course_id INTEGER NOT NULL REFERENCES courses(id),
  lesson_date DATE,
  start_time TEXT,
  duration_min INTEGER,
  topic TEXT,
  status TEXT,
  substitute_id INTEGER REFERENCES teachers(id),
  notes TEXT
);
INSERT INTO lessons VALUES(101,1,'2025-01-13','18:00',90,'Introductions, present simple','held',NULL,NULL);
INSERT INTO lessons VALUES(102,3,'2025-01-13','18:30',90,'Narrative tenses','held',NULL,NULL);
INSERT INTO lessons VALUES(103,2,'2025-01-14','18:00',90,'Present perfect review','held',NULL,NULL);
INSERT INTO lessons VALUES(104,5,'2025-01-14','19:00',90,'Greetings and the alphabet','held',NULL,NULL);
INSERT INTO lessons VALUES(105,9,'2025-01-18','10:00',120,'Accusative articles','held',NULL,NULL);
INSERT INTO lessons VALUES(106,1,'2025-01-15','18:00',90,'Daily routines','held',NULL,NULL);
INSERT INTO lessons VALUES(107,3,'2025-01-15','18:30',90,'Reported speech','held',1,NULL);
INSERT INTO lessons VALUES(108,7,'2025-01-17','17:30',90,'Numbers and greetings','held',NULL,NULL);
INSERT INTO lessons VALUES(109,2,'2025-01-16','18:00',90,'Giving opinions','held',NULL,NULL);
INSERT INTO lessons VALUES(110,8,'2025-01-16','19:00',90,'Debate: l''actualité','held',NULL,NULL);
INSERT INTO lessons VALUES(111,4,'2025-01-17','12:30',60,'Negotiation language','held',NULL,NULL);
INSERT INTO lessons VALUES(112,1,'2025-01-20','18:00',90,'Past simple','held',1,'Hannah at a training day');
INSERT INTO lessons VALUES(113,6,'2025-01-20','18:30',120,'Preterite or imperfect','held',NULL,NULL);
INSERT INTO lessons VALUES(114,5,'2025-01-21','19:00',90,'Ser and estar','held',NULL,NULL);
INSERT INTO lessons VALUES(115,9,'2025-01-25','10:00',120,'Dative articles','held',NULL,NULL);
INSERT INTO lessons VALUES(116,7,'2025-01-24','17:30',90,NULL,'cancelled',NULL,'Teacher ill');
INSERT INTO lessons VALUES(117,8,'2025-01-23','19:00',90,'Film review','held',NULL,NULL);
INSERT INTO lessons VALUES(118,10,'2025-01-23','17:15',90,'At the railway station','held',NULL,NULL);
INSERT INTO lessons VALUES(119,1,'2025-02-03','18:00',90,NULL,'cancelled',NULL,'Heating failure in Room 1');
INSERT INTO lessons VALUES(120,10,'2025-02-06','17:15',90,'Ordering in a restaurant','held',NULL,NULL);
INSERT INTO lessons VALUES(121,2,'2025-02-11','18:00',90,'First conditional','held',7,NULL);
INSERT INTO lessons VALUES(122,3,'2025-02-12','18:30',90,NULL,'cancelled',NULL,'Teacher ill');
INSERT INTO lessons VALUES(123,4,'2025-02-14','12:30',60,'Presentations','held',7,NULL);
INSERT INTO lessons VALUES(124,6,'2025-02-17','18:30',120,NULL,'cancelled',NULL,'Snow, school closed');
INSERT INTO lessons VALUES(125,5,'2025-02-18','19:00',90,'Family and possessives','held',6,NULL);
INSERT INTO lessons VALUES(126,9,'2025-02-22','10:00',120,'Modal verbs','held',NULL,NULL);
CREATE TABLE attendance (
  id INTEGER PRIMARY KEY,
  lesson_id INTEGER NOT NULL REFERENCES lessons(id),
  student_id INTEGER NOT NULL REFERENCES students(id),
  mark TEXT,
  minutes_late INTEGER
);
INSERT INTO attendance VALUES(1,101,3,'present',NULL);
INSERT INTO attendance VALUES(2,101,11,'late',10);
INSERT INTO attendance VALUES(3,101,15,'present',NULL);
INSERT INTO attendance VALUES(4,101,19,'present',NULL);
INSERT INTO attendance VALUES(5,102,1,'present',NULL);
INSERT INTO attendance VALUES(6,102,7,'absent',NULL);
INSERT INTO attendance VALUES(7,102,14,'present',NULL);
INSERT INTO attendance VALUES(8,102,16,'present',NULL);
INSERT INTO attendance VALUES(9,102,20,'late',5);
INSERT INTO attendance VALUES(10,105,8,'present',NULL);
INSERT INTO attendance VALUES(11,105,12,'present',NULL);
INSERT INTO attendance VALUES(12,105,19,'late',15);
INSERT INTO attendance VALUES(13,106,3,'excused',NULL);
INSERT INTO attendance VALUES(14,106,11,'present',NULL);
INSERT INTO attendance VALUES(15,106,15,'absent',NULL);
INSERT INTO attendance VALUES(16,106,19,'present',NULL);
INSERT INTO attendance VALUES(17,107,1,'present',NULL);
INSERT INTO attendance VALUES(18,107,7,'present',NULL);
INSERT INTO attendance VALUES(19,107,14,'excused',NULL);
INSERT INTO attendance VALUES(20,107,16,'present',NULL);
INSERT INTO attendance VALUES(21,107,20,'present',NULL);
INSERT INTO attendance VALUES(22,110,17,'present',NULL);
INSERT INTO attendance VALUES(23,112,3,'present',NULL);
INSERT INTO attendance VALUES(24,112,11,'late',20);
INSERT INTO attendance VALUES(25,112,15,'absent',NULL);
INSERT INTO attendance VALUES(26,112,19,'excused',NULL);
INSERT INTO attendance VALUES(27,115,8,'absent',NULL);
INSERT INTO attendance VALUES(28,115,12,'present',NULL);
INSERT INTO attendance VALUES(29,115,19,'present',NULL);
INSERT INTO attendance VALUES(30,117,17,'present',NULL);
CREATE TABLE invoices (
  id INTEGER PRIMARY KEY,
  invoice_no TEXT UNIQUE,
  student_id INTEGER NOT NULL REFERENCES students(id),
  enrolment_id INTEGER REFERENCES enrolments(id),
  issued_on DATE,
  due_on DATE,
  amount REAL,
  paid_on DATE,
  payment_method TEXT,
  reminder_sent_on DATE
);
INSERT INTO invoices VALUES(1,'2024-0412',1,1,'2024-12-02','2024-12-16',430.00,'2024-12-11','card',NULL);
INSERT INTO invoices VALUES(2,'2024-0413',2,3,'2024-12-05','2024-12-19',410.00,NULL,NULL,'2025-01-06');
INSERT INTO invoices VALUES(3,'2024-0414',3,4,'2024-12-06','2024-12-20',390.00,'2024-12-20','bank transfer',NULL);
INSERT INTO invoices VALUES(4,'2024-0415',4,5,'2024-12-09','2024-12-23',410.00,'2025-01-07','bank transfer','2025-01-02');
INSERT INTO invoices VALUES(5,'2024-0416',8,10,'2024-12-10','2024-12-24',520.00,'2024-12-23','bank transfer',NULL);
INSERT INTO invoices VALUES(6,'2024-0417',7,9,'2024-12-12','2024-12-27',430.00,NULL,NULL,'2025-01-10');
INSERT INTO invoices VALUES(7,'2024-0418',8,11,'2024-12-13','2024-12-27',346.50,'2024-12-23','bank transfer',NULL);
INSERT INTO invoices VALUES(8,'2024-0419',9,12,'2024-12-13','2024-12-27',520.00,'2024-12-20','card',NULL);
INSERT INTO invoices VALUES(9,'2024-0420',9,13,'2024-12-16','2024-12-30',355.50,'2025-01-13','card',NULL);
INSERT INTO invoices VALUES(10,'2024-0421',6,7,'2024-12-18','2025-01-03',360.00,'2024-12-18','card',NULL);
INSERT INTO invoices VALUES(11,'2024-0422',6,8,'2024-12-18','2025-01-03',288.00,'2024-12-18','card',NULL);
INSERT INTO invoices VALUES(12,'2024-0423',11,16,'2024-12-18','2025-01-02',390.00,NULL,NULL,'2025-01-13');
INSERT INTO invoices VALUES(13,'2024-0424',19,26,'2024-12-18','2025-01-02',390.00,'2024-12-27','bank transfer',NULL);
INSERT INTO invoices VALUES(14,'2024-0425',12,17,'2024-12-19','2025-01-03',410.00,'2025-01-02','card',NULL);
INSERT INTO invoices VALUES(15,'2024-0426',14,20,'2024-12-20','2025-01-03',430.00,'2024-12-30','bank transfer',NULL);
INSERT INTO invoices VALUES(16,'2024-0427',14,21,'2024-12-20','2025-01-03',342.00,'2024-12-30','bank transfer',NULL);
INSERT INTO invoices VALUES(17,'2024-0428',20,28,'2024-12-20','2025-01-03',430.00,'2025-02-04','card','2025-01-15');
INSERT INTO invoices VALUES(18,'2025-0001',10,14,'2025-01-03','2025-01-17',380.00,'2025-01-14','cash',NULL);
INSERT INTO invoices VALUES(19,'2025-0002',5,6,'2025-01-06','2025-01-20',380.00,'2025-01-29','cash',NULL);
INSERT INTO invoices VALUES(20,'2025-0003',15,22,'2025-01-07','2025-01-21',331.50,'2025-01-13','cash',NULL);
INSERT INTO invoices VALUES(21,'2025-0004',1,2,'2025-01-08','2025-01-22',324.00,'2025-01-20','card',NULL);
INSERT INTO invoices VALUES(22,'2025-0005',13,19,'2025-01-09','2025-01-23',395.00,'2025-01-15','card',NULL);
INSERT INTO invoices VALUES(23,'2025-0006',16,23,'2025-01-09','2025-01-23',430.00,NULL,NULL,NULL);
INSERT INTO invoices VALUES(24,'2025-0007',17,24,'2025-01-09','2025-01-23',440.00,'2025-01-09','cash',NULL);
INSERT INTO invoices VALUES(25,'2025-0008',19,27,'2025-01-09','2025-01-23',346.50,'2025-01-21','bank transfer',NULL);
INSERT INTO invoices VALUES(26,'2025-0009',10,15,'2025-01-10','2025-01-24',288.00,NULL,NULL,NULL);
INSERT INTO invoices VALUES(27,'2025-0010',12,18,'2025-01-10','2025-01-24',346.50,'2025-01-24','bank transfer',NULL);
INSERT INTO invoices VALUES(28,'2025-0011',18,25,'2025-01-10','2025-01-24',410.00,'2025-01-17','card',NULL);
CREATE TABLE placement_tests (
  id INTEGER PRIMARY KEY,
  student_id INTEGER NOT NULL REFERENCES students(id),
  language TEXT,
  test_date DATE,
  examiner_id INTEGER REFERENCES teachers(id),
  score INTEGER,
  speaking_score INTEGER,
  recommended_level TEXT,
  remarks TEXT
);
INSERT INTO placement_tests VALUES(1,1,'English','2024-11-28',1,78,82,'B2',NULL);
INSERT INTO placement_tests VALUES(2,2,'English','2024-12-03',5,55,50,'B1',NULL);
INSERT INTO placement_tests VALUES(3,3,'English','2024-12-03',5,38,30,'A2','Very quiet, reads better than speaks');
INSERT INTO placement_tests VALUES(4,4,'English','2024-12-05',1,58,64,'B1',NULL);
INSERT INTO placement_tests VALUES(5,7,'English','2024-12-10',7,74,70,'B2',NULL);
INSERT INTO placement_tests VALUES(6,8,'German','2024-12-11',4,36,40,'A2',NULL);
INSERT INTO placement_tests VALUES(7,9,'Spanish','2024-12-12',8,52,48,'B1',NULL);
INSERT INTO placement_tests VALUES(8,11,'English','2024-12-16',5,34,45,'A2',NULL);
INSERT INTO placement_tests VALUES(9,19,'English','2024-12-16',1,32,35,'A2','Nervous');
INSERT INTO placement_tests VALUES(10,13,'Spanish','2025-01-07',2,57,60,'B1',NULL);
INSERT INTO placement_tests VALUES(11,16,'English','2025-01-08',7,71,66,'B2',NULL);
INSERT INTO placement_tests VALUES(12,17,'French','2025-01-08',3,80,85,'B2','Lived in Lyon for years');
INSERT INTO placement_tests VALUES(13,18,'English','2025-01-09',5,51,44,'B1',NULL);
INSERT INTO placement_tests VALUES(14,19,'German','2025-01-09',4,41,38,'A2',NULL);
INSERT INTO placement_tests VALUES(15,12,'German','2025-01-10',4,39,NULL,'A2','Written part only');
INSERT INTO placement_tests VALUES(16,21,'Spanish','2025-03-04',2,44,47,'A2',NULL);
INSERT INTO placement_tests VALUES(17,22,'English','2025-03-11',5,62,68,'B1',NULL);
INSERT INTO placement_tests VALUES(18,23,'English','2025-03-18',1,85,88,'C1',NULL);
CREATE INDEX idx_enrolments_student ON enrolments(student_id);
CREATE INDEX idx_invoices_student ON invoices(student_id);
COMMIT;
