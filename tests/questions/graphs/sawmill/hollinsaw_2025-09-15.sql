-- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)
--
-- Host: localhost    Database: hollinsaw
-- ------------------------------------------------------
-- Server version	8.0.36-0ubuntu0.22.04.1

/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!50503 SET NAMES utf8mb4 */;
/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */;

--
-- Table structure for table `supplier`
--

DROP TABLE IF EXISTS `supplier`;
CREATE TABLE `supplier` (
  `sup_id` int NOT NULL AUTO_INCREMENT,
  `sup_nm` varchar(60) NOT NULL,
  `contact` varchar(60) DEFAULT NULL,
  `town` varchar(40) DEFAULT NULL,
  `tel` varchar(20) DEFAULT NULL,
  `cert` varchar(8) DEFAULT NULL,
  `pay_days` int NOT NULL DEFAULT '30',
  `active` tinyint(1) NOT NULL DEFAULT '1',
  `memo` varchar(255) DEFAULT NULL,
  PRIMARY KEY (`sup_id`)
) ENGINE=InnoDB AUTO_INCREMENT=13 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;

--
-- Dumping data for table `supplier`
--

LOCK TABLES `supplier` WRITE;
INSERT INTO `supplier` VALUES (1,'Brackenridge Estate','Hugh Mallory','Kirkby Fell','01539 555 210','FSC',30,1,NULL),
(2,'Oldwater Forestry Ltd','Jean Pickersgill','Harrowdale','01539 555 874','PEFC',30,1,NULL),
(3,'Tamsin Rudge Timber','Tamsin Rudge','Ashby Cross',NULL,NULL,14,1,'Brings own lorry'),
(4,'Crown Hollow Woods','Derek Swaine','Crown Hollow','01768 555 031','FSC',45,1,NULL),
(5,'Penhallow & Sons','Alf Penhallow','Marrick','01768 555 402','PEFC',30,1,'Butts often over length'),
(6,'Nettlebeck Farm','Ros Nettleton','Nettlebeck','01539 555 617',NULL,7,1,'Cash on the day preferred'),
(7,'Fjordtre AS','Sigrid Hauge','Lyngdal','+47 555 20 118','FSC',60,1,'Larch only, by ship to Silloth'),
(8,'Gillespie Arboriculture','Rory Gillespie','Langholm','01387 555 990',NULL,14,1,'Street and garden trees'),
(9,'Wharfe Valley Trust','Anthea Coombes','Grassmoor','01756 555 148','FSC',30,1,NULL),
(10,'Dunmere Timber Merchants','Cyril Pask','Dunmere','01524 555 733','PEFC',30,0,'Closed down 2023'),
(11,'Thistlecote Woodlands','Moira Laidlaw','Thistlecote','01387 555 266','PEFC',30,1,'New, first visit Sept 2025'),
(12,'Longscar Forestry','Ted Armistead','Bramgate','01539 555 389','PEFC',45,1,NULL);
UNLOCK TABLES;

--
-- Table structure for table `log_lot`
--

DROP TABLE IF EXISTS `log_lot`;
CREATE TABLE `log_lot` (
  `lot_id` int NOT NULL AUTO_INCREMENT,
  `lot_no` varchar(10) NOT NULL,
  `sup_id` int NOT NULL,
  `species` varchar(20) NOT NULL,
  `vol_m3` decimal(6,2) NOT NULL,
  `pr_m3` decimal(8,2) NOT NULL,
  `dt_recd` date NOT NULL,
  `grade` char(1) DEFAULT NULL,
  `dt_paid` date DEFAULT NULL,
  `memo` varchar(255) DEFAULT NULL,
  PRIMARY KEY (`lot_id`),
  UNIQUE KEY `uq_lot_no` (`lot_no`),
  KEY `fk_lot_sup` (`sup_id`),
  CONSTRAINT `fk_lot_sup` FOREIGN KEY (`sup_id`) REFERENCES `supplier` (`sup_id`)
) ENGINE=InnoDB AUTO_INCREMENT=45 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;

--
-- Dumping data for table `log_lot`
--

LOCK TABLES `log_lot` WRITE;
INSERT INTO `log_lot` VALUES (1,'L-24001',7,'larch',15.10,109.50,'2024-01-18','B','2024-03-12',NULL),
(2,'L-24002',8,'oak',4.60,212.50,'2024-02-05','B','2024-02-19','Blown in storm Isha'),
(3,'L-24003',9,'beech',12.00,96.00,'2024-02-06','A','2024-03-01',NULL),
(4,'L-24004',1,'ash',14.30,114.50,'2024-02-09','B','2024-03-04',NULL),
(5,'L-24005',8,'sycamore',5.10,125.00,'2024-02-15','A','2024-02-23','Wire found in two butts'),
(6,'L-24006',1,'oak',9.00,225.00,'2024-02-28','B','2024-04-01',NULL),
(7,'L-24007',5,'larch',16.70,106.00,'2024-03-03','A','2024-04-02',NULL),
(8,'L-24008',5,'larch',24.40,110.50,'2024-03-07','B','2024-04-15',NULL),
(9,'L-24009',5,'douglas fir',10.70,104.00,'2024-03-11','A','2024-04-10',NULL),
(10,'L-24010',2,'spruce',19.70,67.00,'2024-03-25','A','2024-04-18',NULL),
(11,'L-24011',6,'sycamore',2.00,121.50,'2024-04-01','B','2024-04-11',NULL),
(12,'L-24012',1,'ash',5.30,132.50,'2024-04-10','A','2024-05-10',NULL),
(13,'L-24013',1,'oak',24.10,200.50,'2024-04-20','C','2024-05-20',NULL),
(14,'L-24014',7,'larch',20.80,100.50,'2024-05-16','A','2024-07-15',NULL),
(15,'L-24015',1,'oak',15.70,204.50,'2024-05-24','B','2024-06-17',NULL),
(16,'L-24016',1,'oak',13.30,208.50,'2024-06-07','C','2024-07-05',NULL),
(17,'L-24017',4,'oak',11.70,188.50,'2024-06-24','B','2024-08-08',NULL),
(18,'L-24018',2,'douglas fir',18.90,114.00,'2024-08-15','B','2024-09-08',NULL),
(19,'L-24019',6,'sycamore',2.90,113.00,'2024-08-21','A','2024-08-31',NULL),
(20,'L-24020',4,'beech',4.20,90.00,'2024-09-01','C','2024-10-14',NULL),
(21,'L-24021',6,'sycamore',6.80,103.50,'2024-10-12','C','2024-10-22',NULL),
(22,'L-24022',9,'cherry',24.10,163.50,'2024-10-17','C','2024-11-10',NULL),
(23,'L-24023',1,'oak',22.50,198.00,'2024-10-26','B','2024-11-23',NULL),
(24,'L-24024',5,'larch',18.00,92.00,'2024-11-11','B','2024-12-09',NULL),
(25,'L-24025',1,'ash',8.90,124.00,'2024-12-07','C','2025-01-09',NULL),
(26,'L-24026',7,'larch',22.80,109.00,'2024-12-11','B','2025-02-07',NULL),
(27,'L-24027',5,'douglas fir',21.70,94.00,'2024-12-14','A','2025-01-07',NULL),
(28,'L-24028',6,'sycamore',4.20,115.00,'2024-12-28','B',NULL,NULL),
(29,'L-24029',1,'oak',13.70,201.50,'2024-12-30','A','2025-02-01',NULL),
(30,'L-25030',9,'beech',24.40,84.00,'2025-01-18','B','2025-02-17',NULL),
(31,'L-25031',8,'oak',2.40,189.00,'2025-02-21','C','2025-03-07','Two logs over 70 cm, cut with chainsaw first'),
(32,'L-25032',4,'oak',17.90,187.00,'2025-03-09','C','2025-05-02',NULL),
(33,'L-25033',12,'spruce',13.40,79.50,'2025-03-10','C','2025-04-24',NULL),
(34,'L-25034',4,'oak',8.20,197.50,'2025-03-13','B',NULL,NULL),
(35,'L-25035',1,'oak',13.00,228.00,'2025-04-07','B','2025-05-01',NULL),
(36,'L-25036',12,'spruce',25.70,77.50,'2025-04-12','B','2025-05-27','Some blue stain'),
(37,'L-25037',12,'spruce',7.80,77.00,'2025-05-07','C','2025-06-21',NULL),
(38,'L-25038',7,'larch',25.00,111.00,'2025-05-23','C','2025-07-22',NULL),
(39,'L-25039',8,'ash',4.40,129.50,'2025-06-26','B','2025-07-08','Frost cracks'),
(40,'L-25040',8,'oak',2.10,197.00,'2025-07-08','A','2025-07-31',NULL),
(41,'L-25041',9,'beech',13.20,94.00,'2025-07-26','A','2025-08-25',NULL),
(42,'L-25042',7,'larch',25.20,92.00,'2025-07-27','B',NULL,NULL),
(43,'L-25043',3,'oak',20.70,195.00,'2025-08-14','C','2025-08-31',NULL),
(44,'L-25044',1,'oak',25.30,214.50,'2025-08-20','B',NULL,NULL);
UNLOCK TABLES;

--
-- Table structure for table `kiln`
--

DROP TABLE IF EXISTS `kiln`;
CREATE TABLE `kiln` (
  `kiln_id` int NOT NULL AUTO_INCREMENT,
  `kiln_nm` varchar(30) NOT NULL,
  `type` varchar(20) NOT NULL,
  `cap_m3` decimal(5,2) NOT NULL,
  `built_yr` int DEFAULT NULL,
  `energy` varchar(20) DEFAULT NULL,
  PRIMARY KEY (`kiln_id`)
) ENGINE=InnoDB AUTO_INCREMENT=6 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;

--
-- Dumping data for table `kiln`
--

LOCK TABLES `kiln` WRITE;
INSERT INTO `kiln` VALUES (1,'Old Bertha','conventional',22.00,1987,'wood chip'),
(2,'Kestrel','dehumidifier',12.00,2009,'electric'),
(3,'Big Vac','vacuum',6.50,2018,'electric'),
(4,'Sunhouse','solar',9.00,2021,'solar'),
(5,'Kiln Five','conventional',25.00,2025,'wood chip');
UNLOCK TABLES;

--
-- Table structure for table `product`
--

DROP TABLE IF EXISTS `product`;
CREATE TABLE `product` (
  `prod_id` int NOT NULL AUTO_INCREMENT,
  `sku` varchar(12) NOT NULL,
  `descr` varchar(60) NOT NULL,
  `species` varchar(20) NOT NULL,
  `thick_mm` int DEFAULT NULL,
  `width_mm` int DEFAULT NULL,
  `stk_m3` decimal(6,2) NOT NULL DEFAULT '0.00',
  `min_stk_m3` decimal(6,2) NOT NULL DEFAULT '0.00',
  `list_pr` decimal(8,2) NOT NULL,
  PRIMARY KEY (`prod_id`),
  UNIQUE KEY `uq_sku` (`sku`)
) ENGINE=InnoDB AUTO_INCREMENT=17 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;

--
-- Dumping data for table `product`
--

LOCK TABLES `product` WRITE;
INSERT INTO `product` VALUES (1,'OAK-BM-150','Oak beam 150x150','oak',150,150,14.20,6.00,980.00),
(2,'OAK-FL-020','Oak floorboard 20x140','oak',20,140,3.10,5.00,1650.00),
(3,'OAK-WE-052','Oak waney edge slab 52','oak',52,NULL,6.70,2.00,1420.00),
(4,'ASH-BD-027','Ash board 27','ash',27,200,4.40,2.50,890.00),
(5,'ASH-HN-034','Ash handle blank 34','ash',34,34,0.60,1.00,1120.00),
(6,'LAR-CL-019','Larch cladding 19x150','larch',19,150,9.80,8.00,720.00),
(7,'LAR-DK-032','Larch decking 32x125','larch',32,125,2.90,4.00,760.00),
(8,'LAR-PS-100','Larch post 100x100','larch',100,100,11.50,5.00,540.00),
(9,'DF-BM-200','Douglas fir beam 200x200','douglas fir',200,200,7.30,4.00,610.00),
(10,'DF-SA-150','Douglas fir sarking 22x150','douglas fir',22,150,5.20,5.00,480.00),
(11,'SPR-ST-047','Spruce stud 47x100','spruce',47,100,18.90,10.00,330.00),
(12,'SPR-BT-025','Spruce batten 25x50','spruce',25,50,1.40,3.00,310.00),
(13,'SYC-BD-040','Sycamore board 40','sycamore',40,220,2.20,1.00,940.00),
(14,'BEE-BD-040','Beech board 40','beech',40,180,5.90,2.00,620.00),
(15,'CHE-BD-027','Cherry board 27','cherry',27,170,0.90,0.50,1580.00),
(16,'CHE-VN-003','Cherry veneer strip 3','cherry',3,90,0.20,0.20,2900.00);
UNLOCK TABLES;

--
-- Table structure for table `drying_batch`
--

DROP TABLE IF EXISTS `drying_batch`;
CREATE TABLE `drying_batch` (
  `batch_id` int NOT NULL AUTO_INCREMENT,
  `kiln_id` int NOT NULL,
  `lot_id` int NOT NULL,
  `prod_id` int NOT NULL,
  `vol_m3` decimal(6,2) NOT NULL,
  `dt_in` date NOT NULL,
  `dt_out` date DEFAULT NULL,
  `mc_in_pct` decimal(4,1) DEFAULT NULL,
  `mc_out_pct` decimal(4,1) DEFAULT NULL,
  `degrade_pct` decimal(4,1) DEFAULT NULL,
  `operator` varchar(40) DEFAULT NULL,
  PRIMARY KEY (`batch_id`),
  KEY `fk_b_kiln` (`kiln_id`),
  KEY `fk_b_lot` (`lot_id`),
  KEY `fk_b_prod` (`prod_id`),
  CONSTRAINT `fk_b_kiln` FOREIGN KEY (`kiln_id`) REFERENCES `kiln` (`kiln_id`),
  CONSTRAINT `fk_b_lot` FOREIGN KEY (`lot_id`) REFERENCES `log_lot` (`lot_id`),
  CONSTRAINT `fk_b_prod` FOREIGN KEY (`prod_id`) REFERENCES `product` (`prod_id`)
) ENGINE=InnoDB AUTO_INCREMENT=40 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;

--
-- Dumping data for table `drying_batch`
--

LOCK TABLES `drying_batch` WRITE;
INSERT INTO `drying_batch` VALUES (1,1,1,8,6.10,'2024-02-10','2024-03-01',36.50,13.10,8.70,'Marta Kowal'),
(2,2,4,4,5.60,'2024-02-22','2024-03-22',60.50,10.80,2.60,'Marta Kowal'),
(3,3,1,6,2.10,'2024-03-01','2024-03-08',43.80,10.10,5.50,'Gareth Tull'),
(4,3,2,3,1.80,'2024-03-12','2024-03-21',28.50,10.20,3.80,'Sid Brannigan'),
(5,1,3,14,5.90,'2024-03-13','2024-04-08',49.20,13.60,7.00,'Lena Osei'),
(6,2,4,4,1.80,'2024-03-27','2024-04-26',40.60,11.00,5.30,'Lena Osei'),
(7,3,6,2,4.30,'2024-03-27','2024-04-09',59.60,10.00,4.50,'Gareth Tull'),
(8,3,7,7,6.20,'2024-04-11','2024-04-20',46.50,9.60,6.20,'Gareth Tull'),
(9,1,5,13,1.80,'2024-04-15','2024-05-05',46.50,12.50,0.50,'Marta Kowal'),
(10,3,8,7,6.20,'2024-04-24','2024-05-02',44.60,8.60,2.30,'Lena Osei'),
(11,2,9,9,4.90,'2024-04-27','2024-05-27',38.30,10.90,4.90,'Marta Kowal'),
(12,2,12,5,2.70,'2024-05-30','2024-07-02',61.10,10.80,6.00,'Sid Brannigan'),
(13,4,15,3,8.10,'2024-06-11','2024-08-19',42.30,14.50,1.90,NULL),
(14,2,14,8,10.10,'2024-07-05','2024-07-30',33.40,10.50,1.60,'Lena Osei'),
(15,1,16,2,5.70,'2024-07-09','2024-08-13',55.50,12.10,6.90,'Marta Kowal'),
(16,3,17,1,6.20,'2024-07-22','2024-08-01',50.80,9.70,4.90,'Marta Kowal'),
(17,1,16,2,1.30,'2024-08-14','2024-09-07',39.80,13.50,0.40,'Sid Brannigan'),
(18,3,18,9,1.70,'2024-08-25','2024-09-03',47.70,10.80,5.60,'Gareth Tull'),
(19,1,18,9,8.20,'2024-09-12','2024-09-28',31.40,11.40,3.20,'Sid Brannigan'),
(20,4,19,13,1.40,'2024-09-15','2024-11-14',40.70,15.70,1.00,NULL),
(21,1,20,14,1.60,'2024-10-04','2024-11-04',38.80,13.40,3.60,'Gareth Tull'),
(22,2,22,15,11.40,'2024-11-13','2024-12-10',61.90,9.90,6.20,'Lena Osei'),
(23,1,24,7,6.70,'2024-12-06','2024-12-31',56.90,12.00,3.50,'Gareth Tull'),
(24,1,25,4,3.60,'2025-01-07','2025-01-24',28.00,11.90,2.40,'Gareth Tull'),
(25,2,26,7,9.20,'2025-01-13','2025-02-04',30.70,10.10,2.00,'Sid Brannigan'),
(26,3,27,10,6.20,'2025-01-22','2025-01-28',50.40,10.80,2.70,'Sid Brannigan'),
(27,4,30,14,8.50,'2025-01-29','2025-04-21',56.00,13.60,6.00,NULL),
(28,2,28,13,1.50,'2025-02-07','2025-03-06',30.90,10.60,1.30,'Sid Brannigan'),
(29,2,29,3,7.30,'2025-03-10','2025-04-18',31.70,10.20,5.40,'Sid Brannigan'),
(30,3,32,3,6.20,'2025-03-31','2025-04-14',46.40,9.10,4.30,'Marta Kowal'),
(31,2,33,12,7.30,'2025-04-19','2025-05-19',47.40,11.10,0.40,'Lena Osei'),
(32,1,34,1,4.20,'2025-04-21','2025-05-15',42.70,12.30,3.50,'Lena Osei'),
(33,3,36,12,6.20,'2025-05-02','2025-05-10',52.50,9.20,5.10,'Gareth Tull'),
(34,1,35,1,6.50,'2025-05-16','2025-06-15',33.10,12.60,5.00,'Gareth Tull'),
(35,3,38,6,6.20,'2025-06-04','2025-06-10',47.10,8.60,2.30,'Sid Brannigan'),
(36,1,37,12,2.90,'2025-06-16','2025-07-04',46.60,11.60,2.70,'Gareth Tull'),
(37,2,41,14,1.50,'2025-08-17',NULL,39.90,NULL,NULL,'Marta Kowal'),
(38,3,41,14,5.30,'2025-08-29','2025-09-08',61.30,8.80,1.80,'Sid Brannigan'),
(39,4,43,3,8.20,'2025-09-01',NULL,34.30,NULL,NULL,'Lena Osei');
UNLOCK TABLES;

--
-- Table structure for table `sales_order`
--

DROP TABLE IF EXISTS `sales_order`;
CREATE TABLE `sales_order` (
  `ord_no` int NOT NULL AUTO_INCREMENT,
  `cust_nm` varchar(60) NOT NULL,
  `prod_id` int NOT NULL,
  `qty_m3` decimal(6,2) NOT NULL,
  `pr_m3` decimal(8,2) NOT NULL,
  `dt_ord` date NOT NULL,
  `dt_prom` date DEFAULT NULL,
  `dt_deliv` date DEFAULT NULL,
  `stat` enum('open','ready','delivered','cancelled') NOT NULL DEFAULT 'open',
  `dt_paid` date DEFAULT NULL,
  `memo` varchar(255) DEFAULT NULL,
  PRIMARY KEY (`ord_no`),
  KEY `fk_o_prod` (`prod_id`),
  CONSTRAINT `fk_o_prod` FOREIGN KEY (`prod_id`) REFERENCES `product` (`prod_id`)
) ENGINE=InnoDB AUTO_INCREMENT=20293 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;

--
-- Dumping data for table `sales_order`
--

LOCK TABLES `sales_order` WRITE;
INSERT INTO `sales_order` VALUES (20241,'Eskdale Railway Society',8,1.70,540.00,'2024-03-07','2024-03-28','2024-04-02','delivered','2024-05-05',NULL),
(20242,'Moss & Daughter Builders',7,5.00,760.00,'2024-03-16','2024-04-13','2024-04-13','delivered','2024-05-13',NULL),
(20243,'Hob & Hearth Kitchens',2,6.00,1732.50,'2024-03-25','2024-04-22','2024-04-15','delivered','2024-06-01',NULL),
(20244,'Wetherby Garden Centre',7,4.50,760.00,'2024-04-21','2024-05-12','2024-05-12','delivered','2024-06-11',NULL),
(20245,'Pargeter Furniture',3,4.70,1349.00,'2024-04-27','2024-05-11','2024-05-16','delivered','2024-06-18',NULL),
(20246,'Pargeter Furniture',4,1.60,801.00,'2024-05-04','2024-06-01',NULL,'cancelled',NULL,NULL),
(20247,'Northgate Boatyard',1,1.70,980.00,'2024-05-17','2024-06-14','2024-06-16','delivered','2024-08-02','Collect in person'),
(20248,'Kelso Timber Frames',1,3.90,931.00,'2024-05-21','2024-07-02','2024-06-25','delivered','2024-08-11',NULL),
(20249,'Silverdale Primary School',4,3.90,890.00,'2024-05-30','2024-06-27',NULL,'cancelled',NULL,NULL),
(20250,'Eskdale Railway Society',8,2.30,540.00,'2024-06-04','2024-07-02','2024-07-02','delivered','2024-07-10',NULL),
(20251,'Wetherby Garden Centre',6,0.50,720.00,'2024-06-08','2024-07-06','2024-07-05','delivered','2024-08-07',NULL),
(20252,'Wetherby Garden Centre',6,5.60,648.00,'2024-06-09','2024-07-21','2024-07-21','delivered','2024-08-11',NULL),
(20253,'Moss & Daughter Builders',10,0.90,504.00,'2024-06-10','2024-07-01',NULL,'cancelled',NULL,NULL),
(20254,'Hob & Hearth Kitchens',2,6.20,1732.50,'2024-06-12','2024-07-03','2024-07-03','delivered','2024-08-19',NULL),
(20255,'Northgate Boatyard',6,3.80,720.00,'2024-07-02','2024-07-23','2024-07-25','delivered','2024-08-24',NULL),
(20256,'Kelso Timber Frames',8,0.90,567.00,'2024-07-04','2024-07-18','2024-07-20','delivered','2024-08-22',NULL),
(20257,'Wetherby Garden Centre',7,0.80,760.00,'2024-07-15','2024-08-26','2024-08-25','delivered','2024-09-15',NULL),
(20258,'Moss & Daughter Builders',11,4.70,313.50,'2024-08-25','2024-09-15','2024-09-20','delivered','2024-11-06',NULL),
(20259,'Fellside Homes',4,0.90,890.00,'2024-09-07','2024-10-05','2024-10-05','delivered','2024-10-26',NULL),
(20260,'Silverdale Primary School',4,5.90,890.00,'2024-09-29','2024-10-13','2024-10-13','delivered','2024-10-21','FSC paper needed'),
(20261,'Ravenglass Joinery',11,3.30,346.50,'2024-10-04','2024-11-15','2024-11-08','delivered','2024-12-08',NULL),
(20262,'Fellside Homes',2,6.30,1650.00,'2024-10-31','2024-12-12','2024-12-14','delivered','2025-01-04',NULL),
(20263,'Pargeter Furniture',5,3.20,1120.00,'2024-11-20','2025-01-01','2025-01-01','delivered','2025-01-22',NULL),
(20264,'Eskdale Railway Society',1,1.50,882.00,'2024-11-21','2024-12-05','2024-12-05','delivered','2024-12-19',NULL),
(20265,'Eskdale Railway Society',8,5.40,540.00,'2024-12-04','2024-12-18','2024-12-23','delivered','2025-01-25',NULL),
(20266,'Wetherby Garden Centre',7,5.80,760.00,'2024-12-14','2025-01-25','2025-01-18','delivered','2025-01-26',NULL),
(20267,'Eskdale Railway Society',8,1.90,486.00,'2024-12-20','2025-01-31','2025-02-05','delivered','2025-02-26',NULL),
(20268,'Fellside Homes',7,1.60,722.00,'2024-12-25','2025-02-05',NULL,'cancelled',NULL,NULL),
(20269,'Eskdale Railway Society',1,3.20,882.00,'2025-01-09','2025-02-06','2025-02-02','delivered','2025-02-10','Wants it planed all round'),
(20270,'Ravenglass Joinery',11,2.20,346.50,'2025-01-11','2025-02-22',NULL,'cancelled',NULL,NULL),
(20271,'Hob & Hearth Kitchens',3,1.70,1491.00,'2025-01-18','2025-03-01',NULL,'cancelled',NULL,NULL),
(20272,'Moss & Daughter Builders',9,4.00,579.50,'2025-01-22','2025-02-05','2025-02-05','delivered','2025-02-19',NULL),
(20273,'Pargeter Furniture',4,5.20,890.00,'2025-01-30','2025-03-13','2025-04-01','delivered','2025-04-09',NULL),
(20274,'Fellside Homes',9,0.80,610.00,'2025-02-10','2025-03-24','2025-03-24','delivered','2025-05-10',NULL),
(20275,'Kelso Timber Frames',9,1.40,549.00,'2025-02-17','2025-03-17','2025-03-22','delivered','2025-04-05',NULL),
(20276,'Moss & Daughter Builders',7,4.80,798.00,'2025-03-01','2025-03-29','2025-03-28','delivered','2025-04-05',NULL),
(20277,'Wetherby Garden Centre',7,5.00,760.00,'2025-03-02','2025-03-23','2025-04-03','delivered','2025-04-11',NULL),
(20278,'Northgate Boatyard',6,4.30,684.00,'2025-03-13','2025-03-27','2025-04-07','delivered','2025-05-07',NULL),
(20279,'Hob & Hearth Kitchens',4,1.80,845.50,'2025-03-15','2025-04-26','2025-04-26','delivered','2025-05-26',NULL),
(20280,'Eskdale Railway Society',8,1.30,540.00,'2025-03-19','2025-04-02','2025-03-26','delivered','2025-04-28',NULL),
(20281,'Pargeter Furniture',15,0.60,1659.00,'2025-03-21','2025-04-18','2025-04-11','delivered','2025-05-28',NULL),
(20282,'Eskdale Railway Society',1,3.00,980.00,'2025-05-01','2025-06-12','2025-06-11','delivered','2025-07-14','Second drop at site B'),
(20283,'Fellside Homes',1,4.30,980.00,'2025-06-02','2025-07-14','2025-08-02','delivered',NULL,NULL),
(20284,'Northgate Boatyard',7,3.00,798.00,'2025-06-10','2025-07-01','2025-07-03','delivered','2025-08-19',NULL),
(20285,'Northgate Boatyard',7,4.50,684.00,'2025-06-20','2025-07-18','2025-07-18','delivered','2025-08-20',NULL),
(20286,'Kelso Timber Frames',1,2.40,980.00,'2025-07-12','2025-08-02','2025-08-02','delivered','2025-08-10',NULL),
(20287,'Kelso Timber Frames',11,3.80,330.00,'2025-07-17','2025-07-31','2025-07-30','delivered','2025-09-01',NULL),
(20288,'Northgate Boatyard',6,4.20,720.00,'2025-07-26','2025-08-23','2025-08-25','delivered',NULL,NULL),
(20289,'Moss & Daughter Builders',1,3.90,1029.00,'2025-08-12','2025-09-09',NULL,'open',NULL,NULL),
(20290,'Pargeter Furniture',3,5.50,1278.00,'2025-08-15','2025-08-29','2025-08-29','delivered','2025-09-12',NULL),
(20291,'Moss & Daughter Builders',12,3.80,310.00,'2025-08-26','2025-09-16',NULL,'ready',NULL,NULL),
(20292,'Eskdale Railway Society',8,2.10,513.00,'2025-09-08','2025-10-20',NULL,'open',NULL,NULL);
UNLOCK TABLES;

--
-- Table structure for table `machine`
--

DROP TABLE IF EXISTS `machine`;
CREATE TABLE `machine` (
  `mach_id` int NOT NULL AUTO_INCREMENT,
  `mach_nm` varchar(40) NOT NULL,
  `maker` varchar(40) DEFAULT NULL,
  `kind` varchar(20) NOT NULL,
  `built_yr` int DEFAULT NULL,
  `last_serv` date DEFAULT NULL,
  PRIMARY KEY (`mach_id`)
) ENGINE=InnoDB AUTO_INCREMENT=11 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;

--
-- Dumping data for table `machine`
--

LOCK TABLES `machine` WRITE;
INSERT INTO `machine` VALUES (1,'Headrig bandsaw','Stenner','saw',1996,'2025-06-18'),
(2,'Twin edger','Söderhamn','saw',2004,'2025-03-11'),
(3,'Ring debarker','Valon Kone','debarker',2001,'2025-07-02'),
(4,'Four-sider','Weinig','planer',2015,'2025-05-20'),
(5,'Chipper','Bruks','chipper',1999,'2024-11-06'),
(6,'Log grab loader','Sennebogen','handling',2012,'2025-08-04'),
(7,'Side-loader forklift','Combilift','handling',2019,'2025-08-04'),
(8,'Sharpening bench','Vollmer','workshop',1988,NULL),
(9,'Resaw','Wood-Mizer','saw',2017,'2025-01-29'),
(10,'Sawdust extractor','Felder','extraction',2010,'2024-09-23');
UNLOCK TABLES;

--
-- Table structure for table `breakdown`
--

DROP TABLE IF EXISTS `breakdown`;
CREATE TABLE `breakdown` (
  `bd_id` int NOT NULL AUTO_INCREMENT,
  `mach_id` int NOT NULL,
  `dt_from` datetime NOT NULL,
  `dt_to` datetime DEFAULT NULL,
  `cause` varchar(40) DEFAULT NULL,
  `cost` decimal(8,2) DEFAULT NULL,
  `fixed_by` varchar(40) DEFAULT NULL,
  `memo` varchar(255) DEFAULT NULL,
  PRIMARY KEY (`bd_id`),
  KEY `fk_bd_mach` (`mach_id`),
  CONSTRAINT `fk_bd_mach` FOREIGN KEY (`mach_id`) REFERENCES `machine` (`mach_id`)
) ENGINE=InnoDB AUTO_INCREMENT=32 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;

--
-- Dumping data for table `breakdown`
--

LOCK TABLES `breakdown` WRITE;
INSERT INTO `breakdown` VALUES (1,2,'2024-01-22 12:00:00','2024-01-22 14:05:00','belt snapped',194.14,'Gareth Tull',NULL),
(2,5,'2024-01-24 13:00:00','2024-01-25 13:40:00','jam',138.65,'own workshop',NULL),
(3,5,'2024-02-12 08:00:00','2024-02-12 08:50:00','knife broken',55.38,'Gareth Tull',NULL),
(4,2,'2024-02-15 14:15:00','2024-02-15 15:05:00','bearing',144.70,'Sid Brannigan',NULL),
(5,3,'2024-03-15 09:10:00','2024-03-15 11:15:00','sensor fault',1548.91,'Border Electric',NULL),
(6,2,'2024-03-22 08:10:00','2024-03-22 13:55:00','stone in timber',287.33,'Stenner Service',NULL),
(7,10,'2024-04-15 09:30:00','2024-04-15 11:35:00','duct blocked',71.03,'Gareth Tull',NULL),
(8,5,'2024-05-09 11:10:00','2024-05-09 16:55:00','jam',207.40,'own workshop',NULL),
(9,5,'2024-06-17 14:30:00','2024-06-19 14:55:00','knife broken',1600.28,'Stenner Service','Nail in log'),
(10,2,'2024-07-23 13:00:00','2024-07-23 16:10:00','stone in timber',182.57,'own workshop',NULL),
(11,4,'2024-07-25 14:00:00','2024-07-25 19:45:00','motor overload',172.82,'own workshop',NULL),
(12,1,'2024-08-29 07:15:00','2024-08-29 11:45:00','guide worn',226.57,'Gareth Tull',NULL),
(13,3,'2024-09-02 10:10:00','2024-09-02 10:45:00','sensor fault',1787.83,'Border Electric',NULL),
(14,3,'2024-09-24 12:45:00','2024-09-26 13:10:00','hydraulic leak',767.76,'Ashgill Hydraulics',NULL),
(15,1,'2024-10-10 07:10:00','2024-10-10 10:20:00','hydraulic leak',1030.56,'Ashgill Hydraulics',NULL),
(16,5,'2024-10-25 14:00:00','2024-10-27 14:25:00','jam',67.57,'Sid Brannigan',NULL),
(17,7,'2024-10-28 11:45:00','2024-10-28 16:15:00','flat tyre',93.37,'own workshop',NULL),
(18,2,'2024-10-30 11:15:00','2024-10-30 12:05:00','stone in timber',128.07,'Sid Brannigan','Third time this year'),
(19,1,'2025-01-20 10:30:00','2025-01-20 11:05:00','hydraulic leak',114.46,'Sid Brannigan',NULL),
(20,5,'2025-02-06 07:10:00','2025-02-06 10:20:00','knife broken',590.34,'Stenner Service',NULL),
(21,3,'2025-02-14 08:10:00','2025-02-16 08:35:00','hydraulic leak',55.22,'Gareth Tull',NULL),
(22,1,'2025-02-24 08:15:00','2025-02-25 08:55:00','blade cracked',573.30,'Stenner Service',NULL),
(23,1,'2025-02-26 08:10:00','2025-02-26 11:20:00','blade cracked',1642.10,'Stenner Service',NULL),
(24,1,'2025-03-10 08:30:00','2025-03-10 09:20:00','hydraulic leak',96.36,'Gareth Tull',NULL),
(25,4,'2025-03-17 11:15:00','2025-03-19 11:40:00','cutter chipped',222.32,'Gareth Tull',NULL),
(26,5,'2025-03-28 12:10:00','2025-03-28 15:20:00','bearing',564.25,'Stenner Service',NULL),
(27,6,'2025-04-09 14:45:00','2025-04-09 19:15:00','flat tyre',72.35,'own workshop',NULL),
(28,5,'2025-04-18 10:10:00','2025-04-18 11:00:00','bearing',14.74,'Sid Brannigan',NULL),
(29,2,'2025-07-11 07:45:00','2025-07-11 13:15:00','stone in timber',630.32,'Stenner Service',NULL),
(30,2,'2025-08-07 14:10:00','2025-08-07 19:40:00','stone in timber',93.68,'own workshop',NULL),
(31,10,'2025-08-11 07:15:00',NULL,'motor overload',NULL,NULL,'Waiting for part from Sweden');
UNLOCK TABLES;

/*!40014 SET FOREIGN_KEY_CHECKS=@OLD_FOREIGN_KEY_CHECKS */;
/*!40101 SET CHARACTER_SET_CLIENT=@OLD_CHARACTER_SET_CLIENT */;

-- Dump completed on 2025-09-15  6:40:12
