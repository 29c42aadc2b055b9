PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE customer (
  cust_id INTEGER PRIMARY KEY,
  cust_name TEXT NOT NULL,
  town TEXT,
  tel TEXT,
  email TEXT,
  cust_since DATE,
  mail_ok INTEGER DEFAULT 0
);
INSERT INTO customer VALUES(1,'Agnes Thorley','Ludlow','01170 790607',NULL,'2022-11-28',1);
INSERT INTO customer VALUES(2,'Bernard Whitcombe','Leominster','01830 862002','bernard.whitcombe@marchesnet.example','2018-12-11',0);
INSERT INTO customer VALUES(3,'Cosmo Radley','Hereford','01912 540500','cosmo.radley@marchesnet.example','2023-05-30',0);
INSERT INTO customer VALUES(4,'Dilys Probert','Knighton','01229 545049','dilys.probert@marchesnet.example','2019-05-09',0);
INSERT INTO customer VALUES(5,'Edmund Farrant','Ludlow','01418 439674','edmund.farrant@borderpost.example','2021-07-06',0);
INSERT INTO customer VALUES(6,'Fenella Strang','Tenbury Wells','01901 051133','fenella.strang@marchesnet.example','2015-08-21',1);
INSERT INTO customer VALUES(7,'Gideon Marsh','Hereford','01603 815930','gideon.marsh@marchesnet.example','2015-04-08',0);
INSERT INTO customer VALUES(8,'Hester Allcock','Craven Arms','01407 473590','hester.allcock@marchesnet.example','2016-10-08',0);
INSERT INTO customer VALUES(9,'Ivo Kasprzak','Leominster','01056 213149','ivo.kasprzak@borderpost.example','2019-04-10',0);
INSERT INTO customer VALUES(10,'Jemima Holt','Ludlow','01147 084793','jemima.holt@marchesnet.example','2018-09-21',0);
INSERT INTO customer VALUES(11,'Kenneth Bufton','Knighton',NULL,NULL,'2022-11-05',0);
INSERT INTO customer VALUES(12,'Lavinia Crewe','Bishop''s Castle','01503 115387','lavinia.crewe@borderpost.example','2017-06-19',1);
INSERT INTO customer VALUES(13,'Malcolm Osei','Hereford',NULL,'malcolm.osei@marchesnet.example','2020-03-17',0);
INSERT INTO customer VALUES(14,'Nerys Vaughan','Presteigne','01894 640091',NULL,'2019-06-21',1);
INSERT INTO customer VALUES(15,'Orlando Pike','Ludlow','01876 168683','orlando.pike@borderpost.example','2023-03-28',1);
INSERT INTO customer VALUES(16,'Philippa Dunmore','Shrewsbury','01462 615921','philippa.dunmore@marchesnet.example','2019-10-21',1);
INSERT INTO customer VALUES(17,'Quentin Hargest','Bromyard','01808 944253','quentin.hargest@borderpost.example','2017-05-02',1);
INSERT INTO customer VALUES(18,'Rhona McAlister','Shrewsbury',NULL,'rhona.mcalister@borderpost.example','2020-12-14',1);
INSERT INTO customer VALUES(19,'Sebastian Tully','Hereford','01341 403397',NULL,'2020-01-13',0);
INSERT INTO customer VALUES(20,'Tamsin Oakeley','Church Stretton','01129 103232','tamsin.oakeley@marchesnet.example','2022-04-23',1);
INSERT INTO customer VALUES(21,'Ulrich Baumann','Leominster','01880 508268','ulrich.baumann@borderpost.example','2016-11-30',0);
INSERT INTO customer VALUES(22,'Verity Nott','Ludlow','01921 653428',NULL,'2018-06-02',1);
INSERT INTO customer VALUES(23,'Wilbur Stanton','Church Stretton',NULL,NULL,'2019-10-16',1);
INSERT INTO customer VALUES(24,'Yolanda Pires','Hereford','01014 346733','yolanda.pires@marchesnet.example','2020-01-02',0);
INSERT INTO customer VALUES(25,'Zachary Meredith','Presteigne','01534 736452',NULL,'2023-12-06',1);
INSERT INTO customer VALUES(26,'Alice Bounds','Tenbury Wells','01455 378620','alice.bounds@marchesnet.example','2015-04-09',0);
INSERT INTO customer VALUES(27,'Bryn Pugh','Knighton',NULL,'bryn.pugh@borderpost.example','2023-01-10',1);
INSERT INTO customer VALUES(28,'Constance Eyre','Shrewsbury','01501 027862','constance.eyre@borderpost.example','2015-12-07',0);
INSERT INTO customer VALUES(29,'St Laurence PCC','Ludlow','01158 695836',NULL,'2015-10-18',0);
INSERT INTO customer VALUES(30,'The Feathers Inn','Ludlow','01136 285639','the.inn@marchesnet.example','2022-12-27',1);
INSERT INTO customer VALUES(31,'Duncan Lyle','Bromyard','01545 158552',NULL,'2021-11-16',0);
INSERT INTO customer VALUES(32,'Marguerite Sayce','Craven Arms','01485 075133','marguerite.sayce@borderpost.example','2015-01-21',0);
CREATE TABLE timepiece (
  tp_id INTEGER PRIMARY KEY,
  cust_id INTEGER REFERENCES customer(cust_id),
  tp_type TEXT,
  maker TEXT,
  tp_name TEXT,
  serial_no TEXT,
  yr_made INTEGER
);
INSERT INTO timepiece VALUES(1,1,'Carriage clock','Mappin & Webb','Agnes''s carriage clock','SN-2703108',1905);
INSERT INTO timepiece VALUES(2,1,'Wristwatch','Tissot','Tissot Visodate','3700618',1958);
INSERT INTO timepiece VALUES(3,2,'Wristwatch','Omega','Omega Constellation pie-pan',NULL,1964);
INSERT INTO timepiece VALUES(4,2,'Pocket watch','Waltham','Waltham railroad pocket watch','SN-8681239',1911);
INSERT INTO timepiece VALUES(5,3,'Wristwatch','Rolex','Rolex Air-King','K7121698',1972);
INSERT INTO timepiece VALUES(6,3,'Wristwatch','Heuer','Heuer Camaro chronograph','K4009990',1969);
INSERT INTO timepiece VALUES(7,3,'Mantel clock','Junghans','Junghans Meister mantel clock','SN-9308239',1935);
INSERT INTO timepiece VALUES(8,4,'Longcase clock','Probert of Knighton','Probert longcase',NULL,1792);
INSERT INTO timepiece VALUES(9,5,'Wristwatch','Smiths','Smiths De Luxe','SN-6932629',1953);
INSERT INTO timepiece VALUES(10,6,'Mantel clock','Ansonia','Ansonia black slate clock',NULL,1888);
INSERT INTO timepiece VALUES(11,7,'Wristwatch','Seiko','Seiko Bullhead','5954090',1974);
INSERT INTO timepiece VALUES(12,8,'Wall clock','Gustav Becker','Gustav Becker Vienna regulator','8494233',1879);
INSERT INTO timepiece VALUES(13,8,'Wristwatch','Longines','Longines Flagship','SN-9445885',1961);
INSERT INTO timepiece VALUES(14,9,'Pocket watch','Zenith','Zenith Grand Prix pocket watch','SN-4608539',1915);
INSERT INTO timepiece VALUES(15,10,'Wristwatch','Cartier','Cartier Tank Louis','K9702617',1986);
INSERT INTO timepiece VALUES(16,11,'Wall clock','Seth Thomas','Seth Thomas schoolhouse clock','9574109',1902);
INSERT INTO timepiece VALUES(17,11,'Pocket watch','H Samuel','H Samuel Acme Lever','A8966121',1898);
INSERT INTO timepiece VALUES(18,12,'Mantel clock','Japy Freres','Japy Freres gilt clock','K938419',1870);
INSERT INTO timepiece VALUES(19,13,'Wristwatch','Oris','Oris Big Crown','A9278836',1998);
INSERT INTO timepiece VALUES(20,13,'Wristwatch','Tudor','Tudor Oyster Prince','A2210136',1967);
INSERT INTO timepiece VALUES(21,14,'Longcase clock','Thos Vaughan','Vaughan eight-day longcase',NULL,1810);
INSERT INTO timepiece VALUES(22,15,'Wristwatch','Breitling','Breitling Top Time','SN-4843000',1966);
INSERT INTO timepiece VALUES(23,16,'Carriage clock','Drocourt','Drocourt repeater','5359708',1882);
INSERT INTO timepiece VALUES(24,16,'Wristwatch','Jaeger-LeCoultre','JLC Reverso','SN-1209440',1991);
INSERT INTO timepiece VALUES(25,17,'Wristwatch','Hamilton','Hamilton Ventura',NULL,1957);
INSERT INTO timepiece VALUES(26,18,'Pocket watch','J W Benson','Benson Ludgate pocket watch','A979206',1890);
INSERT INTO timepiece VALUES(27,19,'Wristwatch','Omega','Omega Speedmaster Mark II','K5662053',1970);
INSERT INTO timepiece VALUES(28,19,'Wall clock','Junghans','Junghans kitchen clock','7570972',1956);
INSERT INTO timepiece VALUES(29,20,'Wristwatch','Certina','Certina DS-2','3321419',1968);
INSERT INTO timepiece VALUES(30,21,'Wall clock','Anton Schneider','Schneider cuckoo clock',NULL,1949);
INSERT INTO timepiece VALUES(31,21,'Wristwatch','Sinn','Sinn 103 pilot chronograph',NULL,1994);
INSERT INTO timepiece VALUES(32,22,'Wristwatch','Rotary','Rotary ladies cocktail watch','A9945327',1948);
INSERT INTO timepiece VALUES(33,23,'Pocket watch','Elgin','Elgin hunter','A262019',1908);
INSERT INTO timepiece VALUES(34,24,'Wristwatch','Longines','Longines Weems','A1068480',1944);
INSERT INTO timepiece VALUES(35,25,'Mantel clock','Elliott','Elliott Westminster chime','7431455',1951);
INSERT INTO timepiece VALUES(36,26,'Wristwatch','Bulova','Bulova Accutron Spaceview','K2410307',1965);
INSERT INTO timepiece VALUES(37,27,'Longcase clock','Jno Pugh','Pugh thirty-hour longcase',NULL,1775);
INSERT INTO timepiece VALUES(38,28,'Carriage clock','Henri Jacot','Jacot oval carriage clock','A2517253',1895);
INSERT INTO timepiece VALUES(39,29,'Turret clock','Joyce of Whitchurch','St Laurence tower clock',NULL,1861);
INSERT INTO timepiece VALUES(40,30,'Wall clock','Fusee Co','Feathers bar fusee dial','SN-2746993',1885);
INSERT INTO timepiece VALUES(41,31,'Wristwatch','Garrard','Garrard presentation watch','A3835182',1959);
CREATE TABLE job (
  job_no TEXT PRIMARY KEY,
  tp_id INTEGER REFERENCES timepiece(tp_id),
  watchmaker TEXT,
  recd_dt DATE,
  prom_dt DATE,
  done_dt DATE,
  coll_dt DATE,
  status TEXT,
  fault TEXT,
  inv_amt REAL,
  notes TEXT
);
INSERT INTO job VALUES('J24-101',22,'Mei-Ling Foss','2024-01-21','2024-02-25','2024-02-25','2024-03-14','collected','chrono pusher stuck',165,'collect by son');
INSERT INTO job VALUES('J24-102',17,'Tobias Wren','2024-02-01','2024-02-22','2024-02-21','2024-03-08','collected','broken mainspring',212.0,NULL);
INSERT INTO job VALUES('J24-103',32,'Tobias Wren','2024-02-12','2024-03-25','2024-04-06','2024-04-13','collected','stopped',346.5,'case engraved inside lid');
INSERT INTO job VALUES('J24-104',39,'Alfred Penhale','2024-02-18','2024-03-17',NULL,'2024-03-13','returned unrepaired','strike out of sequence',15.0,'key kept in the case');
INSERT INTO job VALUES('J24-105',21,'Alfred Penhale','2024-02-29','2024-04-11','2024-04-17','2024-04-28','collected','chime silent',475,'key kept in the case');
INSERT INTO job VALUES('J24-106',31,'Tobias Wren','2024-03-12','2024-04-02','2024-04-12','2024-04-27','collected','crown detached',260,'handle with care, sentimental');
INSERT INTO job VALUES('J24-107',6,'Ingrid Solberg','2024-03-23','2024-04-13','2024-04-12','2024-04-28','collected','stopped',320,NULL);
INSERT INTO job VALUES('J24-108',25,'Mei-Ling Foss','2024-04-02','2024-04-16','2024-04-25',NULL,'ready','stopped',410.0,'case engraved inside lid');
INSERT INTO job VALUES('J24-109',33,'Ingrid Solberg','2024-04-07','2024-04-21','2024-05-03','2024-05-20','collected','broken mainspring',107.6,'phone before 10am');
INSERT INTO job VALUES('J24-110',40,'Tobias Wren','2024-04-19','2024-05-24','2024-05-31','2024-06-05','collected','chime silent',551.25,'owner wants old parts back');
INSERT INTO job VALUES('J24-111',7,'Tobias Wren','2024-04-25','2024-05-09','2024-05-05',NULL,'ready','strike out of sequence',234.5,'collect by son');
INSERT INTO job VALUES('J24-112',1,'Alfred Penhale','2024-05-04','2024-05-25','2024-06-03','2024-06-13','collected','pendulum suspension broken',262.5,NULL);
INSERT INTO job VALUES('J24-113',13,'Tobias Wren','2024-05-12','2024-06-09','2024-06-12','2024-06-27','collected','running fast',162.0,'handle with care, sentimental');
INSERT INTO job VALUES('J24-114',36,'Tobias Wren','2024-05-24','2024-06-07','2024-06-10','2024-06-18','collected','running fast',54.0,'collect by son');
INSERT INTO job VALUES('J24-115',9,'Ingrid Solberg','2024-05-30','2024-07-04','2024-07-04',NULL,'ready','crown detached',45,'handle with care, sentimental');
INSERT INTO job VALUES('J24-116',2,'Tobias Wren','2024-06-05','2024-07-03','2024-07-03',NULL,'ready','crown detached',145.5,'handle with care, sentimental');
INSERT INTO job VALUES('J24-117',29,'Tobias Wren','2024-06-17','2024-07-08','2024-07-08','2024-07-21','collected','running fast',405.0,NULL);
INSERT INTO job VALUES('J24-118',10,'Tobias Wren','2024-06-24','2024-07-15','2024-07-27','2024-07-28','collected','gut line frayed',150,'key kept in the case');
INSERT INTO job VALUES('J24-119',3,'Tobias Wren','2024-07-04','2024-08-01','2024-07-28','2024-08-14','collected','stopped',115.5,'collect by son');
INSERT INTO job VALUES('J24-120',30,'Alfred Penhale','2024-07-13','2024-08-03','2024-08-01','2024-08-10','collected','stops after an hour',324.0,'owner wants old parts back');
INSERT INTO job VALUES('J24-121',11,'Mei-Ling Foss','2024-07-18','2024-08-01','2024-08-13','2024-08-31','collected','crystal cracked',75,'phone before 10am');
INSERT INTO job VALUES('J24-122',18,'Tobias Wren','2024-07-29','2024-08-26','2024-08-21','2024-09-04','collected','pendulum suspension broken',755.0,'owner wants old parts back');
INSERT INTO job VALUES('J24-123',23,'Tobias Wren','2024-08-10','2024-08-31','2024-08-27','2024-09-09','collected','chime silent',189.75,'handle with care, sentimental');
INSERT INTO job VALUES('J24-124',38,'Alfred Penhale','2024-08-18','2024-09-01','2024-08-29','2024-09-03','collected','strike out of sequence',355,NULL);
INSERT INTO job VALUES('J24-125',14,'Ingrid Solberg','2024-08-25','2024-10-06','2024-10-20','2024-11-07','collected','broken mainspring',345.6,'handle with care, sentimental');
INSERT INTO job VALUES('J24-126',24,'Ingrid Solberg','2024-08-30','2024-09-13','2024-09-28',NULL,'ready','crown detached',455,NULL);
INSERT INTO job VALUES('J24-127',15,'Ingrid Solberg','2024-09-10','2024-10-22','2024-10-25',NULL,'ready','stopped',52.5,'phone before 10am');
INSERT INTO job VALUES('J24-128',8,'Tobias Wren','2024-09-22','2024-10-27','2024-11-07','2024-11-17','collected','gut line frayed',262.5,'phone before 10am');
INSERT INTO job VALUES('J24-129',28,'Alfred Penhale','2024-10-01','2024-10-15','2024-10-26','2024-11-08','collected','chime silent',432.5,NULL);
INSERT INTO job VALUES('J24-130',19,'Ingrid Solberg','2024-10-11','2024-11-22','2024-11-16','2024-11-24','collected','running fast',385,'case engraved inside lid');
INSERT INTO job VALUES('J24-131',20,'Tobias Wren','2024-10-18','2024-11-22','2024-12-01','2024-12-09','collected','crown detached',102.5,'handle with care, sentimental');
INSERT INTO job VALUES('J24-132',26,'Mei-Ling Foss','2024-10-24','2024-12-05','2024-12-15','2024-12-20','collected','broken mainspring',75,'case engraved inside lid');
INSERT INTO job VALUES('J24-133',27,'Ingrid Solberg','2024-10-29','2024-11-12','2024-11-03','2024-11-08','collected','crown detached',172.5,'handle with care, sentimental');
INSERT INTO job VALUES('J24-134',5,'Ingrid Solberg','2024-11-10','2024-12-01','2024-12-15','2024-12-23','collected','crown detached',260,'collect by son');
INSERT INTO job VALUES('J24-135',16,'Tobias Wren','2024-11-21','2024-12-12','2024-12-11','2024-12-16','collected','chime silent',189.0,'collect by son');
INSERT INTO job VALUES('J24-136',35,'Tobias Wren','2024-12-02','2025-01-06','2025-01-10','2025-01-26','collected','strike out of sequence',337.5,NULL);
INSERT INTO job VALUES('J24-137',12,'Alfred Penhale','2024-12-08','2024-12-22','2024-12-31','2025-01-19','collected','chime silent',215,NULL);
INSERT INTO job VALUES('J24-138',37,'Tobias Wren','2024-12-13','2025-01-17','2025-01-29','2025-02-14','collected','stops after an hour',345.0,NULL);
INSERT INTO job VALUES('J24-139',4,'Mei-Ling Foss','2024-12-27','2025-01-31','2025-02-12',NULL,'ready','balance staff broken',56.75,'owner wants old parts back');
INSERT INTO job VALUES('J25-140',20,'Tobias Wren','2025-01-30','2025-02-13','2025-02-16','2025-02-25','collected','crown detached',148.5,NULL);
INSERT INTO job VALUES('J25-141',28,'Tobias Wren','2025-02-06','2025-03-13','2025-03-15','2025-04-01','collected','stops after an hour',593.75,NULL);
INSERT INTO job VALUES('J25-142',3,'Tobias Wren','2025-02-15','2025-03-01',NULL,'2025-03-10','returned unrepaired','water ingress',15.0,NULL);
INSERT INTO job VALUES('J25-143',31,'Ingrid Solberg','2025-02-27','2025-03-27',NULL,'2025-03-15','returned unrepaired','chrono pusher stuck',NULL,NULL);
INSERT INTO job VALUES('J25-144',14,'Ingrid Solberg','2025-03-17','2025-04-07',NULL,'2025-04-05','returned unrepaired','broken mainspring',20.0,'phone before 10am');
INSERT INTO job VALUES('J25-145',6,'Tobias Wren','2025-03-28','2025-05-09','2025-05-14',NULL,'ready','crown detached',246.5,'phone before 10am');
INSERT INTO job VALUES('J25-146',12,'Alfred Penhale','2025-04-05','2025-05-03','2025-04-26','2025-05-10','collected','chime silent',590.7,'dial NOT to be cleaned');
INSERT INTO job VALUES('J25-147',11,'Ingrid Solberg','2025-04-15','2025-05-20',NULL,'2025-04-27','returned unrepaired','crystal cracked',15.0,'handle with care, sentimental');
INSERT INTO job VALUES('J25-148',36,'Ingrid Solberg','2025-04-25','2025-05-30',NULL,'2025-05-14','returned unrepaired','stopped',15.0,NULL);
INSERT INTO job VALUES('J25-149',21,'Alfred Penhale','2025-05-03','2025-05-17','2025-05-28','2025-05-29','collected','pendulum suspension broken',157.5,NULL);
INSERT INTO job VALUES('J25-150',13,'Mei-Ling Foss','2025-05-19','2025-06-30',NULL,NULL,'in progress','water ingress',NULL,NULL);
INSERT INTO job VALUES('J25-151',23,'Alfred Penhale','2025-05-27','2025-07-08',NULL,NULL,'in progress','strike out of sequence',NULL,'handle with care, sentimental');
INSERT INTO job VALUES('J25-152',33,'Ingrid Solberg','2025-06-03','2025-07-01',NULL,NULL,'awaiting decision','hands loose',NULL,NULL);
INSERT INTO job VALUES('J25-153',40,'Tobias Wren','2025-06-12','2025-07-10',NULL,NULL,'awaiting decision','gut line frayed',NULL,'pub opens at noon');
INSERT INTO job VALUES('J25-154',20,'Ingrid Solberg','2025-06-20','2025-07-18',NULL,NULL,'awaiting estimate','stopped',NULL,NULL);
CREATE TABLE part (
  part_no TEXT PRIMARY KEY,
  part_desc TEXT,
  supplier TEXT,
  cost_ea REAL,
  qty_stock INTEGER,
  reorder_lvl INTEGER
);
INSERT INTO part VALUES('MS-014','Mainspring 1.4mm','Cousins Bench Supplies',12.5,9,4);
INSERT INTO part VALUES('MS-022','Mainspring 2.2mm clock','Meadows Horological',18,3,5);
INSERT INTO part VALUES('CR-300','Acrylic crystal 30mm','Cousins Bench Supplies',4.2,14,10);
INSERT INTO part VALUES('CR-320','Sapphire crystal 32mm','Gleave & Partners',38,2,3);
INSERT INTO part VALUES('BS-501','Balance staff cal 501','Gleave & Partners',22.75,1,2);
INSERT INTO part VALUES('CW-RLX','Winding crown 6mm steel','Gleave & Partners',31,4,2);
INSERT INTO part VALUES('GK-010','Case gasket set','Cousins Bench Supplies',2.8,40,25);
INSERT INTO part VALUES('HD-BLU','Blued spade hands pair','Meadows Horological',9.6,6,3);
INSERT INTO part VALUES('SU-VIE','Vienna suspension spring','Meadows Horological',5.4,2,6);
INSERT INTO part VALUES('GL-250','Gut line 2.5m','Meadows Horological',7.25,8,4);
INSERT INTO part VALUES('PU-CHR','Chronograph pusher','Gleave & Partners',27.4,5,2);
INSERT INTO part VALUES('BA-371','Battery 371','Cousins Bench Supplies',1.1,33,20);
INSERT INTO part VALUES('ST-LTH','Leather strap 18mm tan','Oakhill Straps',14,11,6);
INSERT INTO part VALUES('ST-NAT','NATO strap 20mm green','Oakhill Straps',6.5,0,5);
INSERT INTO part VALUES('BL-CUK','Cuckoo bellow tops','Schwarzwald Teile',8.9,4,2);
INSERT INTO part VALUES('BU-BRS','Brass bushing assorted','Meadows Horological',0.85,120,60);
INSERT INTO part VALUES('CL-CLK','Click spring','Cousins Bench Supplies',3.3,7,5);
INSERT INTO part VALUES('DI-RES','Dial refinish service','Larkspur Dials',85,NULL,NULL);
INSERT INTO part VALUES('GR-TUN','Tuning fork coil','Larkspur Dials',64,1,1);
INSERT INTO part VALUES('GO-CHM','Chime rod set Westminster','Schwarzwald Teile',47,1,2);
CREATE TABLE job_part (
  job_no TEXT REFERENCES job(job_no),
  part_no TEXT REFERENCES part(part_no),
  qty INTEGER,
  price_ea REAL
);
INSERT INTO job_part VALUES('J24-101','GK-010',1,4.48);
INSERT INTO job_part VALUES('J24-102','MS-014',1,20.0);
INSERT INTO job_part VALUES('J24-103','MS-014',1,20.0);
INSERT INTO job_part VALUES('J24-105','BU-BRS',4,1.36);
INSERT INTO job_part VALUES('J24-106','GK-010',1,4.48);
INSERT INTO job_part VALUES('J24-107','BS-501',1,36.4);
INSERT INTO job_part VALUES('J24-107','CL-CLK',1,5.28);
INSERT INTO job_part VALUES('J24-108','BS-501',1,36.4);
INSERT INTO job_part VALUES('J24-108','CL-CLK',1,5.28);
INSERT INTO job_part VALUES('J24-109','MS-014',1,20.0);
INSERT INTO job_part VALUES('J24-110','GL-250',1,11.6);
INSERT INTO job_part VALUES('J24-111','MS-022',2,28.8);
INSERT INTO job_part VALUES('J24-111','BU-BRS',6,1.36);
INSERT INTO job_part VALUES('J24-112','SU-VIE',1,8.64);
INSERT INTO job_part VALUES('J24-112','BU-BRS',8,1.36);
INSERT INTO job_part VALUES('J24-113','CL-CLK',1,5.28);
INSERT INTO job_part VALUES('J24-114','BS-501',1,36.4);
INSERT INTO job_part VALUES('J24-115','GK-010',1,4.48);
INSERT INTO job_part VALUES('J24-116','GK-010',1,4.48);
INSERT INTO job_part VALUES('J24-117','BS-501',1,36.4);
INSERT INTO job_part VALUES('J24-118','BU-BRS',6,1.36);
INSERT INTO job_part VALUES('J24-118','GL-250',2,11.6);
INSERT INTO job_part VALUES('J24-119','CL-CLK',1,5.28);
INSERT INTO job_part VALUES('J24-120','CL-CLK',1,5.28);
INSERT INTO job_part VALUES('J24-120','BU-BRS',8,1.36);
INSERT INTO job_part VALUES('J24-120','BL-CUK',1,14.24);
INSERT INTO job_part VALUES('J24-121','CR-320',1,60.8);
INSERT INTO job_part VALUES('J24-122','SU-VIE',1,8.64);
INSERT INTO job_part VALUES('J24-122','BU-BRS',8,1.36);
INSERT INTO job_part VALUES('J24-123','BU-BRS',4,1.36);
INSERT INTO job_part VALUES('J24-123','GL-250',1,11.6);
INSERT INTO job_part VALUES('J24-124','BU-BRS',4,1.36);
INSERT INTO job_part VALUES('J24-124','MS-022',2,28.8);
INSERT INTO job_part VALUES('J24-125','MS-014',1,20.0);
INSERT INTO job_part VALUES('J24-126','GK-010',1,4.48);
INSERT INTO job_part VALUES('J24-126','CW-RLX',1,49.6);
INSERT INTO job_part VALUES('J24-127','MS-014',1,20.0);
INSERT INTO job_part VALUES('J24-127','BS-501',1,36.4);
INSERT INTO job_part VALUES('J24-127','CL-CLK',1,5.28);
INSERT INTO job_part VALUES('J24-128','BU-BRS',4,1.36);
INSERT INTO job_part VALUES('J24-128','GL-250',2,11.6);
INSERT INTO job_part VALUES('J24-129','GL-250',1,11.6);
INSERT INTO job_part VALUES('J24-129','BU-BRS',6,1.36);
INSERT INTO job_part VALUES('J24-130','BS-501',1,36.4);
INSERT INTO job_part VALUES('J24-131','GK-010',1,4.48);
INSERT INTO job_part VALUES('J24-131','CW-RLX',1,49.6);
INSERT INTO job_part VALUES('J24-132','MS-014',1,20.0);
INSERT INTO job_part VALUES('J24-133','GK-010',1,4.48);
INSERT INTO job_part VALUES('J24-133','CW-RLX',1,49.6);
INSERT INTO job_part VALUES('J24-134','CW-RLX',1,49.6);
INSERT INTO job_part VALUES('J24-134','GK-010',1,4.48);
INSERT INTO job_part VALUES('J24-135','BU-BRS',6,1.36);
INSERT INTO job_part VALUES('J24-135','GL-250',1,11.6);
INSERT INTO job_part VALUES('J24-136','BU-BRS',4,1.36);
INSERT INTO job_part VALUES('J24-136','MS-022',2,28.8);
INSERT INTO job_part VALUES('J24-137','GL-250',1,11.6);
INSERT INTO job_part VALUES('J24-138','CL-CLK',1,5.28);
INSERT INTO job_part VALUES('J24-138','MS-022',1,28.8);
INSERT INTO job_part VALUES('J24-138','BU-BRS',4,1.36);
INSERT INTO job_part VALUES('J24-139','MS-014',1,20.0);
INSERT INTO job_part VALUES('J25-140','GK-010',1,4.48);
INSERT INTO job_part VALUES('J25-141','MS-022',1,28.8);
INSERT INTO job_part VALUES('J25-145','CW-RLX',1,49.6);
INSERT INTO job_part VALUES('J25-146','BU-BRS',8,1.36);
INSERT INTO job_part VALUES('J25-146','GL-250',1,11.6);
INSERT INTO job_part VALUES('J25-149','BU-BRS',6,1.36);
CREATE TABLE estimate (
  est_id INTEGER PRIMARY KEY,
  job_no TEXT REFERENCES job(job_no),
  est_dt DATE,
  est_amt REAL,
  decision TEXT,
  decided_dt DATE
);
INSERT INTO estimate VALUES(1,'J24-101','2024-01-24',165,'accepted','2024-01-26');
INSERT INTO estimate VALUES(2,'J24-102','2024-02-05',180,'accepted','2024-02-08');
INSERT INTO estimate VALUES(3,'J24-103','2024-02-17',385,'accepted','2024-02-22');
INSERT INTO estimate VALUES(4,'J24-104','2024-02-23',255,'declined','2024-02-25');
INSERT INTO estimate VALUES(5,'J24-105','2024-03-04',475,'accepted','2024-03-07');
INSERT INTO estimate VALUES(6,'J24-106','2024-03-14',260,'accepted','2024-03-14');
INSERT INTO estimate VALUES(7,'J24-108','2024-04-04',450,'accepted','2024-04-06');
INSERT INTO estimate VALUES(8,'J24-109','2024-04-11',95,'accepted','2024-04-11');
INSERT INTO estimate VALUES(9,'J24-110','2024-04-21',475,'accepted','2024-04-21');
INSERT INTO estimate VALUES(10,'J24-111','2024-04-29',255,'accepted','2024-05-04');
INSERT INTO estimate VALUES(11,'J24-112','2024-05-08',210,'accepted','2024-05-09');
INSERT INTO estimate VALUES(12,'J24-113','2024-05-13',180,'accepted','2024-05-13');
INSERT INTO estimate VALUES(13,'J24-114','2024-05-29',60,'accepted','2024-06-02');
INSERT INTO estimate VALUES(14,'J24-116','2024-06-06',120,'accepted','2024-06-11');
INSERT INTO estimate VALUES(15,'J24-118','2024-06-27',150,'accepted','2024-06-29');
INSERT INTO estimate VALUES(16,'J24-120','2024-07-16',300,'accepted','2024-07-21');
INSERT INTO estimate VALUES(17,'J24-121','2024-07-23',75,'accepted','2024-07-27');
INSERT INTO estimate VALUES(18,'J24-122','2024-07-31',650,'accepted','2024-08-01');
INSERT INTO estimate VALUES(19,'J24-123','2024-08-16',165,'accepted','2024-08-18');
INSERT INTO estimate VALUES(20,'J24-124','2024-08-19',350,'accepted','2024-08-24');
INSERT INTO estimate VALUES(21,'J24-125','2024-08-30',320,'accepted','2024-08-30');
INSERT INTO estimate VALUES(22,'J24-127','2024-09-15',45,'accepted','2024-09-18');
INSERT INTO estimate VALUES(23,'J24-129','2024-10-05',475,'accepted','2024-10-07');
INSERT INTO estimate VALUES(24,'J24-131','2024-10-21',95,'accepted','2024-10-25');
INSERT INTO estimate VALUES(25,'J24-132','2024-10-27',75,'accepted','2024-10-31');
INSERT INTO estimate VALUES(26,'J24-133','2024-11-02',165,'accepted','2024-11-02');
INSERT INTO estimate VALUES(27,'J24-134','2024-11-17',260,'accepted','2024-11-17');
INSERT INTO estimate VALUES(28,'J24-135','2024-11-27',210,'accepted','2024-12-01');
INSERT INTO estimate VALUES(29,'J24-136','2024-12-05',270,'accepted','2024-12-09');
INSERT INTO estimate VALUES(30,'J24-137','2024-12-09',210,'accepted','2024-12-13');
INSERT INTO estimate VALUES(31,'J24-138','2024-12-20',300,'accepted','2024-12-20');
INSERT INTO estimate VALUES(32,'J24-139','2025-01-01',45,'accepted','2025-01-05');
INSERT INTO estimate VALUES(33,'J25-140','2025-01-31',165,'accepted','2025-02-02');
INSERT INTO estimate VALUES(34,'J25-142','2025-02-17',260,'declined','2025-02-18');
INSERT INTO estimate VALUES(35,'J25-143','2025-03-02',450,'declined','2025-03-07');
INSERT INTO estimate VALUES(36,'J25-144','2025-03-24',385,'declined','2025-03-27');
INSERT INTO estimate VALUES(37,'J25-146','2025-04-12',540,'accepted','2025-04-16');
INSERT INTO estimate VALUES(38,'J25-147','2025-04-22',95,'declined','2025-04-26');
INSERT INTO estimate VALUES(39,'J25-148','2025-04-29',165,'declined','2025-05-02');
INSERT INTO estimate VALUES(40,'J25-150','2025-05-24',185,'accepted','2025-05-28');
INSERT INTO estimate VALUES(41,'J25-151','2025-05-30',410,'accepted','2025-06-01');
INSERT INTO estimate VALUES(42,'J25-152','2025-06-05',75,NULL,NULL);
INSERT INTO estimate VALUES(43,'J25-153','2025-06-15',230,NULL,NULL);
CREATE TABLE courier_run (
  run_id INTEGER PRIMARY KEY,
  job_no TEXT REFERENCES job(job_no),
  courier TEXT,
  direction TEXT CHECK(direction IN ('in','out')),
  sent_dt DATE,
  delivd_dt DATE,
  cost REAL
);
INSERT INTO courier_run VALUES(9001,'J24-102','Royal Insured Post','in','2024-01-31','2024-02-01',16.95);
INSERT INTO courier_run VALUES(9002,'J24-103','Royal Insured Post','in','2024-02-09','2024-02-12',13.75);
INSERT INTO courier_run VALUES(9003,'J24-102','Marches Same-Day','out','2024-03-06','2024-03-08',25.2);
INSERT INTO courier_run VALUES(9004,'J24-103','Royal Insured Post','out','2024-04-11','2024-04-13',18.55);
INSERT INTO courier_run VALUES(9005,'J24-116','Royal Insured Post','in','2024-06-04','2024-06-05',13.75);
INSERT INTO courier_run VALUES(9006,'J24-117','Marches Same-Day','in','2024-06-14','2024-06-17',22);
INSERT INTO courier_run VALUES(9007,'J24-117','Marches Same-Day','out','2024-07-21','2024-07-21',26.8);
INSERT INTO courier_run VALUES(9008,'J24-124','Marches Same-Day','in','2024-08-17','2024-08-18',22);
INSERT INTO courier_run VALUES(9009,'J24-124','Wyvern Parcels','out','2024-09-03','2024-09-03',14.2);
INSERT INTO courier_run VALUES(9010,'J24-133','Marches Same-Day','in','2024-10-26','2024-10-29',25.2);
INSERT INTO courier_run VALUES(9011,'J24-133','Wyvern Parcels','out','2024-11-06','2024-11-08',12.6);
INSERT INTO courier_run VALUES(9012,'J24-136','Marches Same-Day','in','2024-12-01','2024-12-02',22);
INSERT INTO courier_run VALUES(9013,'J24-137','Wyvern Parcels','in','2024-12-05','2024-12-08',10.9);
INSERT INTO courier_run VALUES(9014,'J24-137','Marches Same-Day','out','2025-01-17','2025-01-19',25.2);
INSERT INTO courier_run VALUES(9015,'J24-136','Royal Insured Post','out','2025-01-26','2025-01-26',16.95);
INSERT INTO courier_run VALUES(9016,'J25-140','Marches Same-Day','in','2025-01-28','2025-01-30',22);
INSERT INTO courier_run VALUES(9017,'J25-141','Marches Same-Day','in','2025-02-04','2025-02-06',22);
INSERT INTO courier_run VALUES(9018,'J25-140','Marches Same-Day','out','2025-02-25','2025-02-25',23.5);
INSERT INTO courier_run VALUES(9019,'J25-143','Wyvern Parcels','in','2025-02-26','2025-02-27',12.6);
INSERT INTO courier_run VALUES(9020,'J25-143','Wyvern Parcels','out','2025-03-14','2025-03-15',14.2);
INSERT INTO courier_run VALUES(9021,'J25-145','Marches Same-Day','in','2025-03-27','2025-03-28',22);
INSERT INTO courier_run VALUES(9022,'J25-141','Wyvern Parcels','out','2025-03-31','2025-04-01',9.4);
INSERT INTO courier_run VALUES(9023,'J25-146','Royal Insured Post','in','2025-04-04','2025-04-05',15.25);
INSERT INTO courier_run VALUES(9024,'J25-146','Wyvern Parcels','out','2025-05-10','2025-05-10',12.6);
INSERT INTO courier_run VALUES(9025,'J25-151','Wyvern Parcels','in','2025-05-24','2025-05-27',9.4);
INSERT INTO courier_run VALUES(9026,'J25-152','Marches Same-Day','in','2025-05-31','2025-06-03',22);
CREATE TABLE warranty_claim (
  claim_id INTEGER PRIMARY KEY,
  job_no TEXT REFERENCES job(job_no),
  claim_dt DATE,
  complaint TEXT,
  outcome TEXT,
  closed_dt DATE,
  cost_to_us REAL
);
INSERT INTO warranty_claim VALUES(1,'J24-105','2024-07-04','stopped again','upheld','2024-07-19',78.78);
INSERT INTO warranty_claim VALUES(2,'J24-109','2024-06-08','loses five minutes a day','rejected','2024-06-12',NULL);
INSERT INTO warranty_claim VALUES(3,'J24-110','2024-07-19','strikes wrong hour','upheld','2024-07-30',56.55);
INSERT INTO warranty_claim VALUES(4,'J24-114','2024-08-18','crown came off again','upheld','2024-09-02',73.88);
INSERT INTO warranty_claim VALUES(5,'J24-113','2024-08-25','stopped again','rejected','2024-09-09',NULL);
INSERT INTO warranty_claim VALUES(6,'J24-122','2024-10-09','stopped again','upheld','2024-10-19',45.23);
INSERT INTO warranty_claim VALUES(7,'J24-125','2024-12-03','crown came off again','rejected','2024-12-09',NULL);
INSERT INTO warranty_claim VALUES(8,'J24-137','2025-03-22','stopped again','upheld','2025-04-06',40.06);
INSERT INTO warranty_claim VALUES(9,'J25-140','2025-04-01','stopped again','upheld','2025-04-10',37.1);
CREATE INDEX idx_job_tp ON job(tp_id);
COMMIT;
