-- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)
--
-- Host: localhost    Database: printshop
-- ------------------------------------------------------
-- Server version	8.0.36

/*!40101 SET NAMES utf8mb4 */;
/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */;

--
-- Table structure for table `customers`
--

DROP TABLE IF EXISTS `customers`;
CREATE TABLE `customers` (
  `id` int NOT NULL AUTO_INCREMENT,
  `account_no` varchar(10) NOT NULL,
  `company` varchar(80) NOT NULL,
  `contact_name` varchar(60) DEFAULT NULL,
  `email` varchar(90) DEFAULT NULL,
  `town` varchar(40) DEFAULT NULL,
  `opened_on` date DEFAULT NULL,
  `credit_limit` decimal(9,2) DEFAULT NULL,
  `terms_days` smallint NOT NULL DEFAULT '30',
  `on_stop` tinyint(1) NOT NULL DEFAULT '0',
  PRIMARY KEY (`id`),
  UNIQUE KEY `account_no` (`account_no`)
) ENGINE=InnoDB AUTO_INCREMENT=13 DEFAULT CHARSET=utf8mb4;

LOCK TABLES `customers` WRITE;
INSERT INTO `customers` VALUES (1,'NOR001','Northgate Brewery','Alan Stokes','alan@northgatebrewery.example','Kirkham','2014-03-11',5000.00,30,0),(2,'LOC001','Lockwood Dental Practice','Mina Rao','reception@lockwooddental.example','Fenby','2019-06-20',1500.00,30,0),(3,'HAR002','Harbour Festival Trust','Josie Tate','josie@harbourfest.example','Saltmouth','2016-01-18',4000.00,14,0),(4,'STM001','St Mildred''s Church','Rev. Colin Abbott',NULL,'Fenby','2011-09-02',500.00,30,0),(5,'BRA003','Bramley & Sons Estate Agents','Louise Bramley','louise@bramleysons.example','Kirkham','2017-10-09',3000.00,30,0),(6,'TID001','Tideway Theatre','Gareth Penn','boxoffice@tideway.example','Saltmouth','2015-05-27',6000.00,30,0),(7,'GRE004','Greenacre Garden Centre','Wendy Hull','wendy@greenacre.example','Orton','2020-02-14',2500.00,30,1),(8,'OLD001','Old Mill Bakery','Simon Crabtree','hello@oldmillbakery.example','Orton','2022-07-05',800.00,14,0),(9,'FEN002','Fenby Town Council','Angela Moss','clerk@fenbytc.example','Fenby','2012-11-30',8000.00,30,0),(10,'PIN001','Pinnacle Gym','Darren Keogh','darren@pinnaclegym.example','Kirkham','2023-01-16',1000.00,14,1),(11,'WRE001','Wren Street Primary School','Mrs P. Lacey','office@wrenstreet.example','Kirkham','2018-08-22',1200.00,30,0),(12,'COP001','Copperfield Antiques',NULL,'sales@copperfieldantiques.example','Saltmouth','2025-02-03',NULL,30,0);
UNLOCK TABLES;

--
-- Table structure for table `presses`
--

DROP TABLE IF EXISTS `presses`;
CREATE TABLE `presses` (
  `id` int NOT NULL AUTO_INCREMENT,
  `name` varchar(50) NOT NULL,
  `process` enum('litho','digital','letterpress','wide format') NOT NULL,
  `max_sheet` varchar(10) DEFAULT NULL,
  `colours` tinyint DEFAULT NULL,
  `installed_on` date DEFAULT NULL,
  `last_serviced` date DEFAULT NULL,
  `hourly_rate` decimal(6,2) NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=7 DEFAULT CHARSET=utf8mb4;

LOCK TABLES `presses` WRITE;
INSERT INTO `presses` VALUES (1,'Heidelberg Speedmaster SM 52','litho','SRA3',4,'2009-04-06','2025-01-22',68.00),(2,'Heidelberg GTO','litho','B3',2,'1998-10-19','2024-11-08',52.00),(3,'HP Indigo 7900','digital','SRA3',6,'2018-02-12','2025-03-04',75.00),(4,'Xerox Versant 280','digital','SRA3',4,'2021-09-01','2025-02-11',45.00),(5,'Adana Eight Five','letterpress','A5',1,'2013-05-15',NULL,38.00),(6,'Roland TrueVIS VG3','wide format','1625mm',8,'2022-06-28','2024-12-17',60.00);
UNLOCK TABLES;

--
-- Table structure for table `operators`
--

DROP TABLE IF EXISTS `operators`;
CREATE TABLE `operators` (
  `id` int NOT NULL AUTO_INCREMENT,
  `full_name` varchar(60) NOT NULL,
  `grade` varchar(20) DEFAULT NULL,
  `shift` enum('early','late','day') NOT NULL DEFAULT 'day',
  `started_on` date DEFAULT NULL,
  `left_on` date DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=8 DEFAULT CHARSET=utf8mb4;

LOCK TABLES `operators` WRITE;
INSERT INTO `operators` VALUES (1,'Trevor Haines','Minder','early','2006-02-13',NULL),(2,'Maria Kowalska','Minder','late','2015-09-07',NULL),(3,'Dean Prosser','Digital','day','2018-03-19',NULL),(4,'Shabnam Aziz','Digital','day','2021-10-04',NULL),(5,'Lewis Carr','Apprentice','early','2024-09-02',NULL),(6,'Bernard Todd','Minder','day','1999-01-11','2025-03-28'),(7,'Kirsty Vance','Finisher','day','2020-06-15',NULL);
UNLOCK TABLES;

--
-- Table structure for table `paper_stock`
--

DROP TABLE IF EXISTS `paper_stock`;
CREATE TABLE `paper_stock` (
  `id` int NOT NULL AUTO_INCREMENT,
  `description` varchar(60) NOT NULL,
  `gsm` smallint DEFAULT NULL,
  `size` varchar(8) DEFAULT NULL,
  `supplier` varchar(40) DEFAULT NULL,
  `on_hand` int NOT NULL DEFAULT '0',
  `reorder_at` int DEFAULT NULL,
  `cost_per_1000` decimal(7,2) DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=11 DEFAULT CHARSET=utf8mb4;

LOCK TABLES `paper_stock` WRITE;
INSERT INTO `paper_stock` VALUES (1,'Claro Silk',130,'SRA3','Antalis',8200,4000,41.50),(2,'Claro Silk Board',350,'SRA3','Antalis',1150,2000,118.00),(3,'Edixion Offset',100,'SRA2','Antalis',12600,6000,33.20),(4,'Cyclus Recycled',140,'SRA3','Elliott Baxter',2900,3000,52.75),(5,'Colorplan Ebony',270,'SRA3','GF Smith',340,250,265.00),(6,'Colorplan Natural',350,'SRA3','GF Smith',480,250,310.00),(7,'Beermat Board',600,'B3','Denmaur',1500,800,190.00),(8,'NCR Two-part',80,'A4','Premier Paper',900,2500,28.40),(9,'Polyprop Synthetic',200,'SRA3','Premier Paper',700,NULL,340.00),(10,'Gummed Label Sheet',90,'SRA3','Elliott Baxter',1600,500,77.90);
UNLOCK TABLES;

--
-- Table structure for table `jobs`
--

DROP TABLE IF EXISTS `jobs`;
CREATE TABLE `jobs` (
  `id` int NOT NULL AUTO_INCREMENT,
  `job_no` varchar(10) NOT NULL,
  `title` varchar(80) NOT NULL,
  `customer_id` int NOT NULL,
  `press_id` int DEFAULT NULL,
  `operator_id` int DEFAULT NULL,
  `stock_id` int DEFAULT NULL,
  `quantity` int NOT NULL,
  `quoted` decimal(9,2) DEFAULT NULL,
  `ordered_on` date NOT NULL,
  `promised_for` date DEFAULT NULL,
  `completed_on` date DEFAULT NULL,
  `status` enum('quoted','proofing','on press','finishing','complete','cancelled') NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `job_no` (`job_no`),
  KEY `customer_id` (`customer_id`),
  KEY `press_id` (`press_id`),
  KEY `operator_id` (`operator_id`),
  KEY `stock_id` (`stock_id`),
  CONSTRAINT `jobs_ibfk_1` FOREIGN KEY (`customer_id`) REFERENCES `customers` (`id`),
  CONSTRAINT `jobs_ibfk_2` FOREIGN KEY (`press_id`) REFERENCES `presses` (`id`),
  CONSTRAINT `jobs_ibfk_3` FOREIGN KEY (`operator_id`) REFERENCES `operators` (`id`),
  CONSTRAINT `jobs_ibfk_4` FOREIGN KEY (`stock_id`) REFERENCES `paper_stock` (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=23 DEFAULT CHARSET=utf8mb4;

LOCK TABLES `jobs` WRITE;
INSERT INTO `jobs` VALUES (1,'25-0101','Winter ale beer mats',1,2,1,7,10000,640.00,'2025-01-06','2025-01-24','2025-01-22','complete'),(2,'25-0102','Appointment cards',2,4,3,2,2000,145.00,'2025-01-09','2025-01-17','2025-01-17','complete'),(3,'25-0103','Spring season brochure',6,1,1,1,8000,2380.00,'2025-01-13','2025-02-07','2025-02-12','complete'),(4,'25-0104','Parish magazine February',4,4,4,4,350,168.00,'2025-01-20','2025-01-31','2025-01-30','complete'),(5,'25-0105','For Sale boards',5,6,4,NULL,60,1290.00,'2025-01-22','2025-02-14','2025-02-11','complete'),(6,'25-0106','Council newsletter',9,1,2,3,6500,1875.00,'2025-01-27','2025-02-21','2025-02-20','complete'),(7,'25-0107','Membership flyers',10,4,3,1,5000,310.00,'2025-02-03','2025-02-14','2025-02-18','complete'),(8,'25-0108','Property brochure Riverside',5,3,3,1,500,720.00,'2025-02-06','2025-02-21','2025-02-21','complete'),(9,'25-0109','Pump clip labels',1,3,4,10,3000,415.00,'2025-02-10','2025-02-28','2025-02-26','complete'),(10,'25-0110','Letterpress business cards',12,5,6,6,250,185.00,'2025-02-12','2025-03-05','2025-03-10','complete'),(11,'25-0111','Festival programme',3,1,1,1,12000,3460.00,'2025-02-17','2025-03-28','2025-03-27','complete'),(12,'25-0112','Plant care leaflets',7,4,4,4,4000,260.00,'2025-02-20','2025-03-07','2025-03-06','complete'),(13,'25-0113','Parish magazine March',4,4,3,4,350,168.00,'2025-02-21','2025-02-28','2025-02-28','complete'),(14,'25-0114','Bread bag stickers',8,3,4,10,5000,290.00,'2025-02-27','2025-03-14','2025-03-13','complete'),(15,'25-0115','Annual report',9,1,2,1,400,1140.00,'2025-03-03','2025-03-31','2025-04-02','complete'),(16,'25-0116','Foyer banners',6,6,4,NULL,8,540.00,'2025-03-05','2025-03-19','2025-03-18','complete'),(17,'25-0117','Beer garden posters',1,6,4,NULL,40,380.00,'2025-03-10','2025-03-26','2025-03-25','complete'),(18,'25-0118','School prospectus',11,3,3,2,600,980.00,'2025-03-12','2025-04-11','2025-04-10','complete'),(19,'25-0119','Festival volunteer passes',3,3,4,2,450,225.00,'2025-03-17','2025-04-16',NULL,'finishing'),(20,'25-0120','Easter trail maps',7,1,5,3,3000,465.00,'2025-03-20','2025-04-14',NULL,'on press'),(21,'25-0121','Letterheads',2,2,2,3,3000,235.00,'2025-03-24','2025-04-18',NULL,'proofing'),(22,'25-0122','Shop window vinyl',12,NULL,NULL,NULL,2,NULL,'2025-03-31',NULL,NULL,'quoted');
UNLOCK TABLES;

--
-- Table structure for table `proofs`
--

DROP TABLE IF EXISTS `proofs`;
CREATE TABLE `proofs` (
  `id` int NOT NULL AUTO_INCREMENT,
  `job_id` int NOT NULL,
  `version` tinyint NOT NULL DEFAULT '1',
  `kind` enum('pdf','hard copy') NOT NULL DEFAULT 'pdf',
  `sent_on` date NOT NULL,
  `returned_on` date DEFAULT NULL,
  `outcome` enum('approved','changes') DEFAULT NULL,
  `comments` varchar(120) DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `job_id` (`job_id`),
  CONSTRAINT `proofs_ibfk_1` FOREIGN KEY (`job_id`) REFERENCES `jobs` (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=28 DEFAULT CHARSET=utf8mb4;

LOCK TABLES `proofs` WRITE;
INSERT INTO `proofs` VALUES (1,1,1,'pdf','2025-01-08','2025-01-09','approved',NULL),(2,2,1,'pdf','2025-01-10','2025-01-13','approved',NULL),(3,3,1,'pdf','2025-01-16','2025-01-20','changes','Swap p4 and p5'),(4,3,2,'pdf','2025-01-21','2025-01-24','changes','Price of matinee wrong'),(5,3,3,'hard copy','2025-01-28','2025-01-31','approved',NULL),(6,5,1,'pdf','2025-01-24','2025-01-27','approved',NULL),(7,6,1,'pdf','2025-01-30','2025-02-04','changes','Councillor photo missing'),(8,6,2,'pdf','2025-02-05','2025-02-07','approved',NULL),(9,7,1,'pdf','2025-02-04','2025-02-10','approved',NULL),(10,8,1,'hard copy','2025-02-10','2025-02-12','approved','Lovely'),(11,9,1,'pdf','2025-02-12','2025-02-14','approved',NULL),(12,10,1,'hard copy','2025-02-18','2025-02-24','changes','Kerning on surname'),(13,10,2,'hard copy','2025-02-26','2025-02-28','approved',NULL),(14,11,1,'pdf','2025-02-24','2025-02-27','changes','Stage times'),(15,11,2,'pdf','2025-03-03','2025-03-06','changes','Sponsor logo low res'),(16,11,3,'pdf','2025-03-07','2025-03-11','changes','Map key'),(17,11,4,'hard copy','2025-03-13','2025-03-14','approved',NULL),(18,12,1,'pdf','2025-02-24','2025-02-25','approved',NULL),(19,14,1,'pdf','2025-03-03','2025-03-04','approved',NULL),(20,15,1,'pdf','2025-03-10','2025-03-17','changes','Accounts table'),(21,15,2,'pdf','2025-03-18','2025-03-21','approved',NULL),(22,16,1,'pdf','2025-03-07','2025-03-10','approved',NULL),(23,18,1,'pdf','2025-03-19','2025-03-24','changes','Uniform page out of date'),(24,18,2,'hard copy','2025-03-27','2025-04-01','approved',NULL),(25,19,1,'pdf','2025-03-21','2025-03-25','approved',NULL),(26,20,1,'pdf','2025-03-25','2025-03-28','approved','OK to go'),(27,21,1,'pdf','2025-03-31',NULL,NULL,NULL);
UNLOCK TABLES;

--
-- Table structure for table `deliveries`
--

DROP TABLE IF EXISTS `deliveries`;
CREATE TABLE `deliveries` (
  `id` int NOT NULL AUTO_INCREMENT,
  `note_no` varchar(10) NOT NULL,
  `job_id` int NOT NULL,
  `carrier` varchar(30) DEFAULT NULL,
  `cartons` smallint DEFAULT NULL,
  `dispatched_on` date NOT NULL,
  `delivered_on` date DEFAULT NULL,
  `signed_by` varchar(60) DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `job_id` (`job_id`),
  CONSTRAINT `deliveries_ibfk_1` FOREIGN KEY (`job_id`) REFERENCES `jobs` (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=19 DEFAULT CHARSET=utf8mb4;

LOCK TABLES `deliveries` WRITE;
INSERT INTO `deliveries` VALUES (1,'D3301',1,'Own van',22,'2025-01-23','2025-01-23','A. Stokes'),(2,'D3302',2,'Royal Mail',1,'2025-01-17','2025-01-20',NULL),(3,'D3303',4,'Collected',2,'2025-01-30','2025-01-30','Joan Abbott'),(4,'D3304',3,'Tuffnells',31,'2025-02-13','2025-02-14','G. Penn'),(5,'D3305',5,'Own van',6,'2025-02-12','2025-02-12','L. Bramley'),(6,'D3306',7,'Own van',5,'2025-02-19','2025-02-19','Front desk'),(7,'D3307',6,'Own van',26,'2025-02-21','2025-02-21','A. Moss'),(8,'D3308',8,'DPD',3,'2025-02-24','2025-02-25','Tina Yeo'),(9,'D3309',9,'DPD',2,'2025-02-27','2025-02-28','A. Stokes'),(10,'D3310',13,'Collected',2,'2025-02-28','2025-02-28','Joan Abbott'),(11,'D3311',12,'Own van',4,'2025-03-07','2025-03-07','W. Hull'),(12,'D3312',10,'Royal Mail',1,'2025-03-11','2025-03-13',NULL),(13,'D3313',14,'DPD',2,'2025-03-14','2025-03-17','Simon'),(14,'D3314',16,'Own van',1,'2025-03-19','2025-03-19','Stage door'),(15,'D3315',17,'Own van',2,'2025-03-26','2025-03-26','Becky Noakes'),(16,'D3316',11,'Tuffnells',58,'2025-03-28','2025-03-31','J. Tate'),(17,'D3317',15,'Own van',4,'2025-04-03','2025-04-03','A. Moss'),(18,'D3318',18,'Tuffnells',7,'2025-04-11','2025-04-14','Mr Dunn (caretaker)');
UNLOCK TABLES;

--
-- Table structure for table `invoices`
--

DROP TABLE IF EXISTS `invoices`;
CREATE TABLE `invoices` (
  `id` int NOT NULL AUTO_INCREMENT,
  `invoice_no` varchar(10) NOT NULL,
  `job_id` int NOT NULL,
  `issued_on` date NOT NULL,
  `net` decimal(9,2) NOT NULL,
  `vat` decimal(9,2) NOT NULL DEFAULT '0.00',
  `paid_on` date DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `invoice_no` (`invoice_no`),
  KEY `job_id` (`job_id`),
  CONSTRAINT `invoices_ibfk_1` FOREIGN KEY (`job_id`) REFERENCES `jobs` (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=16 DEFAULT CHARSET=utf8mb4;

LOCK TABLES `invoices` WRITE;
INSERT INTO `invoices` VALUES (1,'INV-7781',1,'2025-01-24',640.00,0.00,'2025-02-20'),(2,'INV-7782',2,'2025-01-20',145.00,29.00,'2025-02-14'),(3,'INV-7783',4,'2025-01-31',168.00,0.00,'2025-02-10'),(4,'INV-7784',3,'2025-02-14',2465.00,0.00,'2025-03-17'),(5,'INV-7785',5,'2025-02-14',1290.00,258.00,'2025-03-12'),(6,'INV-7786',7,'2025-02-20',310.00,0.00,NULL),(7,'INV-7787',6,'2025-02-24',1875.00,0.00,'2025-03-24'),(8,'INV-7788',8,'2025-02-26',720.00,0.00,'2025-04-02'),(9,'INV-7789',9,'2025-02-28',415.00,83.00,'2025-03-27'),(10,'INV-7790',12,'2025-03-10',260.00,0.00,NULL),(11,'INV-7791',10,'2025-03-14',185.00,37.00,NULL),(12,'INV-7792',16,'2025-03-20',556.50,111.30,'2025-04-15'),(13,'INV-7793',14,'2025-03-18',290.00,58.00,'2025-03-31'),(14,'INV-7794',11,'2025-03-31',3590.00,0.00,NULL),(15,'INV-7795',15,'2025-04-04',1140.00,0.00,NULL);
UNLOCK TABLES;

/*!40014 SET FOREIGN_KEY_CHECKS=@OLD_FOREIGN_KEY_CHECKS */;
-- Dump completed on 2025-04-16  6:00:02
