-- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)
--
-- Host: localhost    Database: marlford_depot
-- ------------------------------------------------------
-- Server version	8.0.36-0ubuntu0.22.04.1

/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!50503 SET NAMES utf8mb4 */;
/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */;

--
-- Table structure for table `vehicles`
--

DROP TABLE IF EXISTS `vehicles`;
CREATE TABLE `vehicles` (
  `id` int unsigned NOT NULL AUTO_INCREMENT,
  `reg` varchar(10) NOT NULL,
  `make` varchar(30) NOT NULL,
  `model` varchar(40) NOT NULL,
  `deck` enum('single','double') NOT NULL DEFAULT 'single',
  `seats` smallint unsigned NOT NULL,
  `in_service` date NOT NULL,
  `withdrawn` date DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_reg` (`reg`)
) ENGINE=InnoDB AUTO_INCREMENT=15 DEFAULT CHARSET=utf8mb4;

LOCK TABLES `vehicles` WRITE;
INSERT INTO `vehicles` VALUES
(1,'YX14 KDF','ADL','Enviro200','single',39,'2014-04-02',NULL),
(2,'YX14 KDG','ADL','Enviro200','single',39,'2014-04-02',NULL),
(3,'YX16 OLB','ADL','Enviro400','double',74,'2016-06-13',NULL),
(4,'YX16 OLC','ADL','Enviro400','double',74,'2016-06-20',NULL),
(5,'BF17 WNT','Wright','StreetLite DF','single',37,'2017-05-08',NULL),
(6,'BF17 WNU','Wright','StreetLite DF','single',37,'2017-05-08',NULL),
(7,'BN61 CZA','Volvo','B9TL','double',76,'2015-09-01','2025-03-31'),
(8,'SK68 TVP','Optare','Solo M8900','single',27,'2018-10-15',NULL),
(9,'SK68 TVR','Optare','Solo M8900','single',27,'2018-10-15',NULL),
(10,'YN20 HJE','Scania','N250UD','double',78,'2020-07-06',NULL),
(11,'YN20 HJF','Scania','N250UD','double',78,'2020-07-06',NULL),
(12,'BV23 MRO','ADL','Enviro200 MMC','single',41,'2023-03-20',NULL),
(13,'BV25 MRU','ADL','Enviro200 MMC','single',41,'2025-05-26',NULL),
(14,'LJ09 SSO','Mercedes-Benz','Citaro','single',42,'2025-06-03',NULL);
UNLOCK TABLES;

--
-- Table structure for table `drivers`
--

DROP TABLE IF EXISTS `drivers`;
CREATE TABLE `drivers` (
  `id` int unsigned NOT NULL AUTO_INCREMENT,
  `payroll_no` char(5) NOT NULL,
  `full_name` varchar(60) NOT NULL,
  `mobile` varchar(20) DEFAULT NULL,
  `joined` date NOT NULL,
  `left_on` date DEFAULT NULL,
  `licence_expiry` date NOT NULL,
  `cpc_expiry` date DEFAULT NULL,
  `double_ok` tinyint(1) NOT NULL DEFAULT '1',
  PRIMARY KEY (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=14 DEFAULT CHARSET=utf8mb4;

LOCK TABLES `drivers` WRITE;
INSERT INTO `drivers` VALUES
(1,'20417','Colin Marsh','07700 900301','2009-03-16',NULL,'2027-02-11','2029-09-09',1),
(2,'20588','Priya Nair','07700 900318','2017-08-07',NULL,'2026-05-30','2029-09-09',1),
(3,'20431','Steve Barlow','07700 900322','2010-11-01',NULL,'2028-01-19','2025-08-02',1),
(4,'20702','Agnieszka Wrona','07700 900347','2021-02-22',NULL,'2030-06-03','2026-03-14',0),
(5,'20519','Delroy Campbell',NULL,'2014-05-12',NULL,'2026-10-25','2029-09-09',1),
(6,'20466','Janet Hopwood','07700 900355','2012-09-03',NULL,'2025-08-14','2029-09-09',1),
(7,'20733','Mohammed Iqbal','07700 900362','2022-04-04',NULL,'2029-12-08','2027-04-01',0),
(8,'20490','Kevin Tranter','07700 900379','2013-06-17',NULL,'2025-07-22','2029-09-09',1),
(9,'20651','Rhian Powell','07700 900384','2019-10-21',NULL,'2027-07-16','2029-09-09',1),
(10,'20398','Gary Sutcliffe','07700 900391','2007-01-08','2025-04-30','2025-06-30','2024-09-09',1),
(11,'20748','Tunde Bakare','07700 900406','2023-01-16',NULL,'2031-03-05','2028-01-10',1),
(12,'20534','Linda Farrow',NULL,'2015-02-09','2024-12-20','2026-08-18','2024-09-09',1),
(13,'20790','Neil Ashworth','07700 900423','2025-06-02',NULL,'2032-04-27',NULL,0);
UNLOCK TABLES;

--
-- Table structure for table `routes`
--

DROP TABLE IF EXISTS `routes`;
CREATE TABLE `routes` (
  `id` int unsigned NOT NULL AUTO_INCREMENT,
  `service` varchar(5) NOT NULL,
  `from_place` varchar(40) NOT NULL,
  `to_place` varchar(40) NOT NULL,
  `length_km` decimal(5,1) NOT NULL,
  `headway_min` smallint DEFAULT NULL,
  `days` varchar(12) NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=9 DEFAULT CHARSET=utf8mb4;

LOCK TABLES `routes` WRITE;
INSERT INTO `routes` VALUES
(1,'7','Marlford Bus Station','Ashby Green',9.4,15,'Mon-Sun'),
(2,'12','Marlford Bus Station','Thornley Hospital',12.1,20,'Mon-Sat'),
(3,'12A','Marlford Bus Station','Thornley Village',14.8,60,'Mon-Sat'),
(4,'X4','Marlford Rail Station','Kettlebridge',31.5,30,'Mon-Sun'),
(5,'31','Crossways','Marlford Market',7.2,30,'Mon-Sat'),
(6,'52','Hollin Estate','Marlford Market',5.9,40,'Mon-Fri'),
(7,'S2','Ashby Green','St Oswald\'s School',8.3,NULL,'Schooldays'),
(8,'N9','Marlford Bus Station','Kettlebridge',33.0,60,'Tue-Sat');
UNLOCK TABLES;

--
-- Table structure for table `fitters`
--

DROP TABLE IF EXISTS `fitters`;
CREATE TABLE `fitters` (
  `id` int unsigned NOT NULL AUTO_INCREMENT,
  `full_name` varchar(60) NOT NULL,
  `trade` varchar(30) NOT NULL,
  `started` date NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=7 DEFAULT CHARSET=utf8mb4;

LOCK TABLES `fitters` WRITE;
INSERT INTO `fitters` VALUES
(1,'Ron Dyson','Mechanical','2004-08-23'),
(2,'Marta Kowal','Mechanical','2016-01-11'),
(3,'Joe Pritchard','Electrical','2019-06-24'),
(4,'Sanjay Mistry','Body shop','2011-03-07'),
(5,'Ellie Croft','Apprentice','2024-09-02'),
(6,'Bill Hargreave','Chargehand','1998-05-18');
UNLOCK TABLES;

--
-- Table structure for table `duties`
--

DROP TABLE IF EXISTS `duties`;
CREATE TABLE `duties` (
  `id` int unsigned NOT NULL AUTO_INCREMENT,
  `duty_date` date NOT NULL,
  `driver_id` int unsigned NOT NULL,
  `vehicle_id` int unsigned NOT NULL,
  `route_id` int unsigned NOT NULL,
  `sign_on` time NOT NULL,
  `sign_off` time NOT NULL,
  `status` enum('worked','cancelled') NOT NULL DEFAULT 'worked',
  `pax` int DEFAULT NULL,
  `late_min` int DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `fk_duty_driver` (`driver_id`),
  KEY `fk_duty_vehicle` (`vehicle_id`),
  KEY `fk_duty_route` (`route_id`),
  CONSTRAINT `fk_duty_driver` FOREIGN KEY (`driver_id`) REFERENCES `drivers` (`id`),
  CONSTRAINT `fk_duty_vehicle` FOREIGN KEY (`vehicle_id`) REFERENCES `vehicles` (`id`),
  CONSTRAINT `fk_duty_route` FOREIGN KEY (`route_id`) REFERENCES `routes` (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=29 DEFAULT CHARSET=utf8mb4;

LOCK TABLES `duties` WRITE;
INSERT INTO `duties` VALUES
(1,'2025-06-02',1,1,1,'05:40:00','13:55:00','worked',212,4),
(2,'2025-06-02',2,2,2,'06:05:00','14:10:00','worked',188,6),
(3,'2025-06-02',3,3,4,'06:20:00','14:35:00','worked',305,12),
(4,'2025-06-02',5,5,3,'07:00:00','15:15:00','worked',141,3),
(5,'2025-06-02',4,8,6,'08:10:00','16:00:00','worked',76,14),
(6,'2025-06-02',11,10,7,'07:30:00','09:15:00','worked',68,0),
(7,'2025-06-03',1,3,4,'06:20:00','14:35:00','worked',287,9),
(8,'2025-06-03',2,1,1,'05:40:00','13:55:00','worked',198,2),
(9,'2025-06-03',3,5,3,'07:00:00','15:15:00','worked',133,5),
(10,'2025-06-03',6,6,5,'06:45:00','14:50:00','worked',97,7),
(11,'2025-06-03',8,11,8,'21:30:00','02:45:00','worked',54,1),
(12,'2025-06-04',5,4,4,'06:20:00','14:35:00','worked',321,15),
(13,'2025-06-04',1,6,5,'06:45:00','14:50:00','worked',104,8),
(14,'2025-06-04',2,5,3,'07:00:00','15:15:00','worked',150,4),
(15,'2025-06-04',7,8,6,'08:10:00','16:00:00','cancelled',NULL,NULL),
(16,'2025-06-04',9,2,2,'06:05:00','14:10:00','worked',176,10),
(17,'2025-06-05',9,4,4,'06:20:00','14:35:00','worked',298,11),
(18,'2025-06-05',1,2,2,'06:05:00','14:10:00','worked',181,5),
(19,'2025-06-05',4,1,1,'05:40:00','13:55:00','worked',225,6),
(20,'2025-06-05',11,10,7,'07:30:00','09:15:00','worked',71,2),
(21,'2025-06-05',8,11,8,'21:30:00','02:45:00','worked',49,0),
(22,'2025-06-06',9,5,3,'07:00:00','15:15:00','worked',138,6),
(23,'2025-06-06',6,3,4,'06:20:00','14:35:00','worked',334,8),
(24,'2025-06-06',7,9,6,'08:10:00','16:00:00','worked',81,17),
(25,'2025-06-06',3,1,1,'05:40:00','13:55:00','worked',204,3),
(26,'2025-06-06',4,6,5,'06:45:00','14:50:00','cancelled',NULL,NULL),
(27,'2025-06-07',5,2,2,'07:05:00','15:10:00','worked',230,9),
(28,'2025-06-07',7,12,1,'06:40:00','14:40:00','worked',241,5);
UNLOCK TABLES;

--
-- Table structure for table `defects`
--

DROP TABLE IF EXISTS `defects`;
CREATE TABLE `defects` (
  `id` int unsigned NOT NULL AUTO_INCREMENT,
  `vehicle_id` int unsigned NOT NULL,
  `reported_by` int unsigned NOT NULL,
  `reported_on` date NOT NULL,
  `fault` varchar(80) NOT NULL,
  `severity` enum('minor','major','dangerous') NOT NULL,
  `fitter_id` int unsigned DEFAULT NULL,
  `fixed_on` date DEFAULT NULL,
  `repair_cost` decimal(8,2) DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `fk_def_vehicle` (`vehicle_id`),
  KEY `fk_def_driver` (`reported_by`),
  KEY `fk_def_fitter` (`fitter_id`),
  CONSTRAINT `fk_def_vehicle` FOREIGN KEY (`vehicle_id`) REFERENCES `vehicles` (`id`),
  CONSTRAINT `fk_def_driver` FOREIGN KEY (`reported_by`) REFERENCES `drivers` (`id`),
  CONSTRAINT `fk_def_fitter` FOREIGN KEY (`fitter_id`) REFERENCES `fitters` (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=18 DEFAULT CHARSET=utf8mb4;

LOCK TABLES `defects` WRITE;
INSERT INTO `defects` VALUES
(1,7,10,'2025-03-19','Gearbox oil leak','major',NULL,NULL,NULL),
(2,1,1,'2025-04-07','Wheelchair ramp sticking','major',1,'2025-04-09',185.00),
(3,3,3,'2025-04-11','Rear brake pads worn','dangerous',2,'2025-04-12',642.50),
(4,5,2,'2025-04-15','Saloon heater not working','minor',3,'2025-05-06',96.40),
(5,2,9,'2025-04-22','Nearside mirror cracked','minor',1,'2025-04-23',58.75),
(6,6,6,'2025-04-28','Front door slow to close','major',2,'2025-05-19',310.00),
(7,4,5,'2025-05-02','Coolant leak','major',3,'2025-05-05',427.80),
(8,8,4,'2025-05-06','Steering pulling left','dangerous',2,'2025-05-08',512.00),
(9,5,3,'2025-05-12','Alternator failed','major',1,'2025-05-14',398.00),
(10,10,11,'2025-05-14','Upper deck window loose','dangerous',4,'2025-06-02',275.00),
(11,9,7,'2025-05-21','Destination display blank','minor',NULL,NULL,NULL),
(12,3,6,'2025-06-02','Exhaust smoke','major',NULL,NULL,NULL),
(13,1,1,'2025-06-05','Air suspension leak','dangerous',1,'2025-06-06',455.20),
(14,11,8,'2025-06-06','Offside tyre bulging','dangerous',NULL,NULL,NULL),
(15,6,4,'2025-06-06','Seat cushion torn','minor',NULL,NULL,NULL),
(16,12,7,'2025-06-07','Emergency door alarm faulty','dangerous',NULL,NULL,NULL),
(17,8,4,'2025-06-07','Brake warning light staying on','dangerous',NULL,NULL,NULL);
UNLOCK TABLES;

--
-- Table structure for table `inspections`
--

DROP TABLE IF EXISTS `inspections`;
CREATE TABLE `inspections` (
  `id` int unsigned NOT NULL AUTO_INCREMENT,
  `vehicle_id` int unsigned NOT NULL,
  `insp_type` enum('6-weekly','MOT') NOT NULL,
  `insp_date` date NOT NULL,
  `fitter_id` int unsigned DEFAULT NULL COMMENT 'null = done at the test station',
  `result` enum('pass','advisory','fail') NOT NULL,
  `next_due` date DEFAULT NULL,
  `remarks` varchar(120) DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `fk_insp_vehicle` (`vehicle_id`),
  KEY `fk_insp_fitter` (`fitter_id`),
  CONSTRAINT `fk_insp_vehicle` FOREIGN KEY (`vehicle_id`) REFERENCES `vehicles` (`id`),
  CONSTRAINT `fk_insp_fitter` FOREIGN KEY (`fitter_id`) REFERENCES `fitters` (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=19 DEFAULT CHARSET=utf8mb4;

LOCK TABLES `inspections` WRITE;
INSERT INTO `inspections` VALUES
(1,4,'MOT','2024-11-20',NULL,'fail','2025-11-30','Headlamp aim; retest 27 Nov'),
(2,4,'MOT','2024-11-27',NULL,'pass','2025-11-30',NULL),
(3,7,'6-weekly','2025-02-18',2,'advisory','2025-04-01','Gearbox weep'),
(4,8,'MOT','2025-03-12',NULL,'pass','2026-03-31',NULL),
(5,9,'6-weekly','2025-04-08',1,'fail','2025-05-20','Handbrake efficiency low'),
(6,1,'6-weekly','2025-04-24',1,'pass','2025-06-05',NULL),
(7,2,'6-weekly','2025-04-25',2,'pass','2025-06-06',NULL),
(8,8,'6-weekly','2025-05-22',2,'pass','2025-07-03',NULL),
(9,3,'6-weekly','2025-05-01',2,'pass','2025-06-12',NULL),
(10,5,'6-weekly','2025-05-07',6,'advisory','2025-06-18','Front discs lipped'),
(11,6,'MOT','2025-05-13',NULL,'fail','2026-05-31','Door emergency release'),
(12,6,'MOT','2025-05-20',NULL,'pass','2026-05-31',NULL),
(13,8,'6-weekly','2025-04-10',1,'advisory','2025-05-22','Steering play near limit'),
(14,10,'6-weekly','2025-05-15',6,'advisory','2025-06-26',NULL),
(15,11,'6-weekly','2025-05-16',1,'pass','2025-06-27',NULL),
(16,9,'6-weekly','2025-05-20',2,'pass','2025-07-01',NULL),
(17,12,'6-weekly','2025-05-28',6,'pass','2025-07-09',NULL),
(18,4,'6-weekly','2025-05-29',1,'pass','2025-07-10',NULL);
UNLOCK TABLES;

--
-- Table structure for table `fuel_issues`
--

DROP TABLE IF EXISTS `fuel_issues`;
CREATE TABLE `fuel_issues` (
  `id` int unsigned NOT NULL AUTO_INCREMENT,
  `vehicle_id` int unsigned NOT NULL,
  `issued_on` date NOT NULL,
  `pump` tinyint unsigned NOT NULL,
  `litres` decimal(6,2) NOT NULL,
  `odometer` int unsigned DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `fk_fuel_vehicle` (`vehicle_id`),
  CONSTRAINT `fk_fuel_vehicle` FOREIGN KEY (`vehicle_id`) REFERENCES `vehicles` (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=25 DEFAULT CHARSET=utf8mb4;

LOCK TABLES `fuel_issues` WRITE;
INSERT INTO `fuel_issues` VALUES
(1,4,'2025-05-28',1,140.20,512880),
(2,3,'2025-05-28',2,151.00,498114),
(3,1,'2025-05-29',1,88.40,601227),
(4,4,'2025-05-30',2,139.65,513204),
(5,10,'2025-05-30',1,118.00,287452),
(6,2,'2025-06-02',1,91.75,588903),
(7,3,'2025-06-02',2,144.30,498470),
(8,5,'2025-06-02',1,84.10,430118),
(9,8,'2025-06-02',2,61.50,352009),
(10,4,'2025-06-03',1,148.50,513540),
(11,1,'2025-06-03',2,86.20,601498),
(12,6,'2025-06-03',1,79.95,441276),
(13,11,'2025-06-03',2,133.40,290551),
(14,3,'2025-06-04',1,152.80,498822),
(15,14,'2025-06-04',2,120.00,NULL),
(16,4,'2025-06-05',2,132.00,513861),
(17,2,'2025-06-05',1,93.10,589150),
(18,5,'2025-06-05',2,87.60,430377),
(19,10,'2025-06-05',1,74.25,287590),
(20,9,'2025-06-06',1,58.30,349870),
(21,1,'2025-06-06',2,90.05,601771),
(22,4,'2025-06-07',1,121.75,514170),
(23,12,'2025-06-07',2,82.90,98412),
(24,11,'2025-06-07',1,129.15,290890);
UNLOCK TABLES;

/*!40014 SET FOREIGN_KEY_CHECKS=@OLD_FOREIGN_KEY_CHECKS */;
/*!40101 SET CHARACTER_SET_CLIENT=@OLD_CHARACTER_SET_CLIENT */;

-- Dump completed on 2025-06-08  6:00:03
