PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE tbl_party (
  party_id INTEGER PRIMARY KEY,
  party_name TEXT NOT NULL,
  abbrev TEXT,
  founded_year INTEGER,
  group_leader_id INTEGER REFERENCES tbl_candidate(cand_id)
);
INSERT INTO tbl_party VALUES(1,'Conservative Union','CU',1912,113);
INSERT INTO tbl_party VALUES(2,'Progressive Labour','PL',1921,110);
INSERT INTO tbl_party VALUES(3,'Green Marches','GM',2004,103);
INSERT INTO tbl_party VALUES(4,'Civic Alliance','CA',1998,105);
INSERT INTO tbl_party VALUES(5,'Rural Voice','RV',2009,116);
INSERT INTO tbl_party VALUES(6,'Civic Reform','CR',2018,NULL);
INSERT INTO tbl_party VALUES(7,'Independent','IND',NULL,NULL);
CREATE TABLE tbl_ward (
  ward_id INTEGER PRIMARY KEY,
  ward_name TEXT NOT NULL,
  num_seats INTEGER DEFAULT 1,
  population INTEGER,
  area_km2 REAL,
  polling_station TEXT
);
INSERT INTO tbl_ward VALUES(1,'Castle',2,7420,2.1,'Guildhall, Market Street');
INSERT INTO tbl_ward VALUES(2,'Millbrook East',1,4105,3.4,'Millbrook Primary School');
INSERT INTO tbl_ward VALUES(3,'Millbrook West',1,3988,2.9,'Methodist Hall, Mill Lane');
INSERT INTO tbl_ward VALUES(4,'St Aldhelm''s',1,5210,4.6,'St Aldhelm''s Church Hall');
INSERT INTO tbl_ward VALUES(5,'Harrow Down',1,2874,27.8,'Harrow Down Village Hall');
INSERT INTO tbl_ward VALUES(6,'Quayside',1,6033,1.7,'Old Customs House');
INSERT INTO tbl_ward VALUES(7,'Upper Thorne',1,1952,NULL,'The Plough Inn, function room');
CREATE TABLE tbl_candidate (
  cand_id INTEGER PRIMARY KEY,
  full_name TEXT NOT NULL,
  dob DATE,
  occupation TEXT,
  home_ward_id INTEGER REFERENCES tbl_ward(ward_id)
);
INSERT INTO tbl_candidate VALUES(101,'Brenda Oakes','1951-04-17','retired teacher',1);
INSERT INTO tbl_candidate VALUES(102,'Martin Sealey','1963-10-02','solicitor',1);
INSERT INTO tbl_candidate VALUES(103,'Tessa Vane','1979-01-23','ecologist',1);
INSERT INTO tbl_candidate VALUES(104,'Ralph Dimmock','1948-06-30','retired banker',4);
INSERT INTO tbl_candidate VALUES(105,'Owen Pritchard','1984-12-05','librarian',1);
INSERT INTO tbl_candidate VALUES(106,'Joan Fairweather','1944-02-11','retired nurse',2);
INSERT INTO tbl_candidate VALUES(107,'Kevin Stubbs','1972-08-08','bus driver',2);
INSERT INTO tbl_candidate VALUES(108,'Lydia Marsh','1968-03-19','teacher',6);
INSERT INTO tbl_candidate VALUES(109,'Harold Fairweather','1942-09-27','shopkeeper',3);
INSERT INTO tbl_candidate VALUES(110,'Pauline Grist','1966-05-14','nurse',3);
INSERT INTO tbl_candidate VALUES(111,'Simon Cutts','1981-11-11','estate agent',1);
INSERT INTO tbl_candidate VALUES(112,'Nadia Rahman','1976-07-03','pharmacist',4);
INSERT INTO tbl_candidate VALUES(113,'Geoffrey Poole','1957-12-21','accountant',4);
INSERT INTO tbl_candidate VALUES(114,'Dawn Spicer','1970-04-02',NULL,4);
INSERT INTO tbl_candidate VALUES(115,'Edmund Thorne','1953-01-08','farmer',5);
INSERT INTO tbl_candidate VALUES(116,'Alice Penhale','1974-06-16','farmer',5);
INSERT INTO tbl_candidate VALUES(117,'Patrick Doyle','1959-03-17','dock worker',6);
INSERT INTO tbl_candidate VALUES(118,'Yvonne Beck','1982-09-09','teacher',6);
INSERT INTO tbl_candidate VALUES(119,'Roy Hatch','1961-07-25','publican',6);
INSERT INTO tbl_candidate VALUES(120,'William Garrow','1949-10-31','farmer',7);
INSERT INTO tbl_candidate VALUES(121,'Cecily Thorne','1985-02-28','vet',5);
INSERT INTO tbl_candidate VALUES(122,'Ivy Lockett',NULL,'florist',3);
INSERT INTO tbl_candidate VALUES(123,'Omar Siddiqui','1990-05-20','teacher',1);
INSERT INTO tbl_candidate VALUES(124,'Fiona Clegg','1987-08-13','social worker',1);
INSERT INTO tbl_candidate VALUES(125,'Hannah Stubbs','1998-11-04','student',2);
INSERT INTO tbl_candidate VALUES(126,'Jack Garrow','1983-04-26',NULL,7);
CREATE TABLE tbl_election (
  election_id INTEGER PRIMARY KEY,
  polling_date DATE NOT NULL,
  election_type TEXT CHECK (election_type IN ('ordinary','by-election')),
  title TEXT
);
INSERT INTO tbl_election VALUES(1,'2015-05-07','ordinary','Marlsbury Town Council election 2015');
INSERT INTO tbl_election VALUES(2,'2017-09-14','by-election','Millbrook East by-election 2017');
INSERT INTO tbl_election VALUES(3,'2019-05-02','ordinary','Marlsbury Town Council election 2019');
INSERT INTO tbl_election VALUES(4,'2021-05-06','by-election','Quayside by-election 2021');
INSERT INTO tbl_election VALUES(5,'2023-05-04','ordinary','Marlsbury Town Council election 2023');
INSERT INTO tbl_election VALUES(6,'2024-10-17','by-election','St Aldhelm''s by-election 2024');
CREATE TABLE tbl_contest (
  contest_id INTEGER PRIMARY KEY,
  election_id INTEGER NOT NULL REFERENCES tbl_election(election_id),
  ward_id INTEGER NOT NULL REFERENCES tbl_ward(ward_id),
  electorate INTEGER,
  ballots_cast INTEGER,
  spoilt_ballots INTEGER,
  turnout_pct REAL
);
INSERT INTO tbl_contest VALUES(1001,1,1,5710,3129,21,54.8);
INSERT INTO tbl_contest VALUES(1002,1,2,3120,1768,9,56.7);
INSERT INTO tbl_contest VALUES(1003,1,3,3015,1750,14,58.0);
INSERT INTO tbl_contest VALUES(1004,1,4,4010,2559,17,63.8);
INSERT INTO tbl_contest VALUES(1005,1,5,2240,1518,5,67.8);
INSERT INTO tbl_contest VALUES(1006,1,6,4630,2511,32,54.2);
INSERT INTO tbl_contest VALUES(1007,1,7,1490,956,3,64.2);
INSERT INTO tbl_contest VALUES(1008,2,2,3098,1317,6,42.5);
INSERT INTO tbl_contest VALUES(1009,3,1,5802,2999,26,51.7);
INSERT INTO tbl_contest VALUES(1010,3,2,3141,1605,11,51.1);
INSERT INTO tbl_contest VALUES(1011,3,3,3050,1597,8,52.4);
INSERT INTO tbl_contest VALUES(1012,3,4,4098,2596,19,63.3);
INSERT INTO tbl_contest VALUES(1013,3,5,2251,1622,4,72.1);
INSERT INTO tbl_contest VALUES(1014,3,6,4720,2640,28,55.9);
INSERT INTO tbl_contest VALUES(1015,3,7,1502,NULL,NULL,NULL);
INSERT INTO tbl_contest VALUES(1016,4,6,4755,2151,NULL,45.2);
INSERT INTO tbl_contest VALUES(1017,5,1,5890,2922,30,49.6);
INSERT INTO tbl_contest VALUES(1018,5,2,3187,1674,7,52.5);
INSERT INTO tbl_contest VALUES(1019,5,3,3102,1469,12,47.4);
INSERT INTO tbl_contest VALUES(1020,5,4,4133,2621,15,63.4);
INSERT INTO tbl_contest VALUES(1021,5,5,2270,1569,6,69.1);
INSERT INTO tbl_contest VALUES(1022,5,6,4811,2651,24,55.1);
INSERT INTO tbl_contest VALUES(1023,5,7,1533,915,2,59.7);
INSERT INTO tbl_contest VALUES(1024,6,4,4150,2203,10,53.1);
CREATE TABLE tbl_result (
  contest_id INTEGER NOT NULL REFERENCES tbl_contest(contest_id),
  cand_id INTEGER NOT NULL REFERENCES tbl_candidate(cand_id),
  party_id INTEGER REFERENCES tbl_party(party_id),
  votes INTEGER,
  elected INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (contest_id, cand_id)
);
INSERT INTO tbl_result VALUES(1001,101,2,1402,1);
INSERT INTO tbl_result VALUES(1001,102,1,1288,1);
INSERT INTO tbl_result VALUES(1001,104,1,1105,0);
INSERT INTO tbl_result VALUES(1001,103,3,911,0);
INSERT INTO tbl_result VALUES(1001,105,4,640,0);
INSERT INTO tbl_result VALUES(1002,106,1,812,1);
INSERT INTO tbl_result VALUES(1002,107,2,744,0);
INSERT INTO tbl_result VALUES(1002,108,3,203,0);
INSERT INTO tbl_result VALUES(1003,109,7,655,1);
INSERT INTO tbl_result VALUES(1003,110,2,601,0);
INSERT INTO tbl_result VALUES(1003,111,1,480,0);
INSERT INTO tbl_result VALUES(1004,112,4,1120,1);
INSERT INTO tbl_result VALUES(1004,113,1,1034,0);
INSERT INTO tbl_result VALUES(1004,114,2,388,0);
INSERT INTO tbl_result VALUES(1005,115,1,902,1);
INSERT INTO tbl_result VALUES(1005,116,5,611,0);
INSERT INTO tbl_result VALUES(1006,117,2,1377,1);
INSERT INTO tbl_result VALUES(1006,118,3,590,0);
INSERT INTO tbl_result VALUES(1006,119,1,512,0);
INSERT INTO tbl_result VALUES(1007,120,5,498,1);
INSERT INTO tbl_result VALUES(1007,121,1,455,0);
INSERT INTO tbl_result VALUES(1008,107,2,601,1);
INSERT INTO tbl_result VALUES(1008,111,1,522,0);
INSERT INTO tbl_result VALUES(1008,108,3,188,0);
INSERT INTO tbl_result VALUES(1009,101,2,1510,1);
INSERT INTO tbl_result VALUES(1009,103,3,1322,1);
INSERT INTO tbl_result VALUES(1009,102,1,1207,0);
INSERT INTO tbl_result VALUES(1009,105,4,577,0);
INSERT INTO tbl_result VALUES(1009,104,6,498,0);
INSERT INTO tbl_result VALUES(1010,107,2,699,1);
INSERT INTO tbl_result VALUES(1010,113,1,655,0);
INSERT INTO tbl_result VALUES(1010,122,6,240,0);
INSERT INTO tbl_result VALUES(1011,110,2,688,1);
INSERT INTO tbl_result VALUES(1011,109,7,641,0);
INSERT INTO tbl_result VALUES(1011,108,3,260,0);
INSERT INTO tbl_result VALUES(1012,112,4,1304,1);
INSERT INTO tbl_result VALUES(1012,111,1,871,0);
INSERT INTO tbl_result VALUES(1012,114,2,402,0);
INSERT INTO tbl_result VALUES(1013,116,5,815,1);
INSERT INTO tbl_result VALUES(1013,115,1,803,0);
INSERT INTO tbl_result VALUES(1014,117,2,1190,1);
INSERT INTO tbl_result VALUES(1014,118,3,1045,0);
INSERT INTO tbl_result VALUES(1014,119,6,377,0);
INSERT INTO tbl_result VALUES(1015,120,5,NULL,1);
INSERT INTO tbl_result VALUES(1016,118,3,988,1);
INSERT INTO tbl_result VALUES(1016,123,2,954,0);
INSERT INTO tbl_result VALUES(1016,119,6,201,0);
INSERT INTO tbl_result VALUES(1017,103,3,1688,1);
INSERT INTO tbl_result VALUES(1017,124,2,1391,1);
INSERT INTO tbl_result VALUES(1017,102,1,1020,0);
INSERT INTO tbl_result VALUES(1017,101,7,876,0);
INSERT INTO tbl_result VALUES(1018,113,1,702,1);
INSERT INTO tbl_result VALUES(1018,107,2,677,0);
INSERT INTO tbl_result VALUES(1018,125,3,288,0);
INSERT INTO tbl_result VALUES(1019,110,2,731,1);
INSERT INTO tbl_result VALUES(1019,122,6,404,0);
INSERT INTO tbl_result VALUES(1019,108,3,322,0);
INSERT INTO tbl_result VALUES(1020,112,4,1276,1);
INSERT INTO tbl_result VALUES(1020,114,2,690,0);
INSERT INTO tbl_result VALUES(1020,111,1,640,0);
INSERT INTO tbl_result VALUES(1021,116,5,951,1);
INSERT INTO tbl_result VALUES(1021,121,1,612,0);
INSERT INTO tbl_result VALUES(1022,123,2,1266,1);
INSERT INTO tbl_result VALUES(1022,118,3,1201,0);
INSERT INTO tbl_result VALUES(1022,119,7,160,0);
INSERT INTO tbl_result VALUES(1023,126,5,524,1);
INSERT INTO tbl_result VALUES(1023,115,1,389,0);
INSERT INTO tbl_result VALUES(1024,105,4,811,1);
INSERT INTO tbl_result VALUES(1024,114,2,799,0);
INSERT INTO tbl_result VALUES(1024,111,1,433,0);
INSERT INTO tbl_result VALUES(1024,122,6,150,0);
CREATE TABLE tbl_term (
  term_id INTEGER PRIMARY KEY,
  cand_id INTEGER NOT NULL REFERENCES tbl_candidate(cand_id),
  ward_id INTEGER NOT NULL REFERENCES tbl_ward(ward_id),
  party_id INTEGER REFERENCES tbl_party(party_id),
  start_date DATE,
  end_date DATE,
  end_reason TEXT
);
INSERT INTO tbl_term VALUES(1,101,1,2,'2015-05-11','2019-05-06','re-elected');
INSERT INTO tbl_term VALUES(2,102,1,1,'2015-05-11','2019-05-06','defeated');
INSERT INTO tbl_term VALUES(3,106,2,1,'2015-05-11','2017-07-03','died');
INSERT INTO tbl_term VALUES(4,109,3,7,'2015-05-11','2019-05-06','defeated');
INSERT INTO tbl_term VALUES(5,112,4,4,'2015-05-11','2019-05-06','re-elected');
INSERT INTO tbl_term VALUES(6,115,5,1,'2015-05-11','2019-05-06','defeated');
INSERT INTO tbl_term VALUES(7,117,6,2,'2015-05-11','2019-05-06','re-elected');
INSERT INTO tbl_term VALUES(8,120,7,5,'2015-05-11','2019-05-06','re-elected');
INSERT INTO tbl_term VALUES(9,107,2,2,'2017-09-18','2019-05-06','re-elected');
INSERT INTO tbl_term VALUES(10,101,1,2,'2019-05-07','2023-05-08','defeated');
INSERT INTO tbl_term VALUES(11,103,1,3,'2019-05-07','2023-05-08','re-elected');
INSERT INTO tbl_term VALUES(12,107,2,2,'2019-05-07','2023-05-08','defeated');
INSERT INTO tbl_term VALUES(13,110,3,2,'2019-05-07','2023-05-08','re-elected');
INSERT INTO tbl_term VALUES(14,112,4,4,'2019-05-07','2023-05-08','re-elected');
INSERT INTO tbl_term VALUES(15,116,5,5,'2019-05-07','2023-05-08','re-elected');
INSERT INTO tbl_term VALUES(16,117,6,2,'2019-05-07','2021-02-28','resigned');
INSERT INTO tbl_term VALUES(17,120,7,5,'2019-05-07','2023-05-08','stood down');
INSERT INTO tbl_term VALUES(18,118,6,3,'2021-05-10','2023-05-08','defeated');
INSERT INTO tbl_term VALUES(19,103,1,3,'2023-05-09',NULL,NULL);
INSERT INTO tbl_term VALUES(20,124,1,2,'2023-05-09',NULL,NULL);
INSERT INTO tbl_term VALUES(21,113,2,1,'2023-05-09',NULL,NULL);
INSERT INTO tbl_term VALUES(22,110,3,2,'2023-05-09',NULL,NULL);
INSERT INTO tbl_term VALUES(23,112,4,4,'2023-05-09','2024-08-31','resigned');
INSERT INTO tbl_term VALUES(24,116,5,5,'2023-05-09',NULL,NULL);
INSERT INTO tbl_term VALUES(25,123,6,2,'2023-05-09',NULL,NULL);
INSERT INTO tbl_term VALUES(26,126,7,5,'2023-05-09',NULL,NULL);
INSERT INTO tbl_term VALUES(27,105,4,4,'2024-10-21',NULL,NULL);
CREATE INDEX idx_result_cand ON tbl_result(cand_id);
COMMIT;
