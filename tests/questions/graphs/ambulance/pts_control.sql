-- MySQL dump 10.13  Distrib 8.0.39, for Linux (x86_64)
--
-- Host: localhost    Database: pts_control
-- ------------------------------------------------------
-- Server version	8.0.39

/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!50503 SET NAMES utf8mb4 */;
/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */;

--
-- Table structure for table `crew_member`
--

DROP TABLE IF EXISTS `crew_member`;
/*!50503 SET character_set_client = utf8mb4 */;
CREATE TABLE `crew_member` (
  `crew_id` int NOT NULL AUTO_INCREMENT,
  `full_name` varchar(60) NOT NULL,
  `grade` varchar(30) NOT NULL COMMENT 'ACA = ambulance care assistant',
  `base_stn` varchar(30) DEFAULT NULL,
  `blue_light` tinyint(1) NOT NULL DEFAULT '0',
  `start_dt` date NOT NULL,
  `first_aid_exp` date DEFAULT NULL,
  `left_dt` date DEFAULT NULL,
  PRIMARY KEY (`crew_id`)
) ENGINE=InnoDB AUTO_INCREMENT=120 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;

--
-- Dumping data for table `crew_member`
--

LOCK TABLES `crew_member` WRITE;
/*!40000 ALTER TABLE `crew_member` DISABLE KEYS */;
INSERT INTO `crew_member` VALUES (101,'Josephine Tallis','Team Leader','Wenbury',1,'2019-07-28','2026-08-25',NULL),(102,'Rhodri Pask','EMT','Wenbury',1,'2019-06-12','2025-09-05',NULL),(103,'Anneka Vosloo','EMT','Wenbury',1,'2021-09-08','2025-12-19',NULL),(104,'Barnaby Cole','ACA','Wenbury',0,'2017-06-20','2025-03-12',NULL),(105,'Iqbal Mirza','ACA','Wenbury',0,'2020-12-01','2025-11-07',NULL),(106,'Sinead Gallivan','ACA','Wenbury',0,'2021-11-22','2025-11-01',NULL),(107,'Luca Ferrante','ACA','Wenbury',0,'2022-05-05','2025-07-08',NULL),(108,'Harriet Oyelaran','EMT','Fivehead',1,'2018-04-28','2026-08-01',NULL),(109,'Duncan Skelly','Team Leader','Fivehead',1,'2020-11-22','2025-05-21',NULL),(110,'Maisie Thurlow','ACA','Fivehead',0,'2022-07-24','2025-08-31',NULL),(111,'Piotr Zalewski','ACA','Fivehead',0,'2021-09-01','2025-07-17',NULL),(112,'Gwendoline Amos','ACA','Fivehead',0,'2018-04-24','2026-01-30',NULL),(113,'Terence Bligh','Volunteer Driver','Wenbury',0,'2022-10-04',NULL,NULL),(114,'Mavis Horrocks','Volunteer Driver','Fivehead',0,'2019-10-25',NULL,NULL),(115,'Kofi Boateng','ACA','Fivehead',0,'2019-08-08','2025-11-17',NULL),(116,'Ursula Finch','EMT','Wenbury',1,'2021-01-30','2026-02-19',NULL),(117,'Dale Rowbotham','ACA','Wenbury',0,'2017-12-16','2026-05-06','2025-02-28'),(118,'Nerys Coombe','ACA','Fivehead',0,'2025-04-22','2025-11-16',NULL),(119,'Owen Lathbury','Volunteer Driver','Wenbury',0,'2022-06-17',NULL,NULL);
/*!40000 ALTER TABLE `crew_member` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `defect`
--

DROP TABLE IF EXISTS `defect`;
/*!50503 SET character_set_client = utf8mb4 */;
CREATE TABLE `defect` (
  `defect_id` int NOT NULL AUTO_INCREMENT,
  `veh_id` int NOT NULL,
  `reported_by` int NOT NULL,
  `reported_on` date NOT NULL,
  `category` varchar(30) NOT NULL,
  `descr` varchar(120) NOT NULL,
  `off_road` tinyint(1) NOT NULL DEFAULT '0',
  `fixed_on` date DEFAULT NULL,
  `repair_cost` decimal(8,2) DEFAULT NULL,
  PRIMARY KEY (`defect_id`),
  CONSTRAINT `fk_def_veh` FOREIGN KEY (`veh_id`) REFERENCES `vehicle` (`veh_id`),
  CONSTRAINT `fk_def_crew` FOREIGN KEY (`reported_by`) REFERENCES `crew_member` (`crew_id`)
) ENGINE=InnoDB AUTO_INCREMENT=26 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;

--
-- Dumping data for table `defect`
--

LOCK TABLES `defect` WRITE;
/*!40000 ALTER TABLE `defect` DISABLE KEYS */;
INSERT INTO `defect` VALUES (1,12,109,'2024-11-28','bodywork','Chassis corrosion, failed inspection',1,NULL,NULL),(2,1,102,'2024-12-12','stretcher','Stretcher leg not locking',0,'2024-12-12',248.75),(3,4,106,'2024-12-16','engine','Coolant loss overnight',1,'2025-01-12',556.00),(4,2,116,'2024-12-17','tyres','Slow puncture offside front',0,NULL,NULL),(5,6,112,'2024-12-22','wheelchair clamps','Clamp rail bolt missing',0,'2024-12-23',402.25),(6,3,104,'2024-12-25','oxygen','Flow meter cracked',0,NULL,NULL),(7,2,107,'2024-12-29','heating','Demister not clearing screen',0,'2025-01-10',551.90),(8,2,106,'2025-01-11','stretcher','Mattress cover torn',0,'2025-01-13',164.00),(9,9,102,'2025-01-14','radio','Radio handset dead',0,NULL,NULL),(10,8,115,'2025-01-17','lights','Reversing lamp out',1,'2025-01-19',88.40),(11,7,109,'2025-01-19','brakes','Handbrake travel excessive',1,'2025-01-24',11.90),(12,1,101,'2025-01-21','oxygen','Oxygen regulator leaking',0,NULL,NULL),(13,2,110,'2025-01-27','bodywork','Sliding door runner jammed',0,'2025-01-30',253.15),(14,10,108,'2025-02-04','radio','Sat nav frozen',0,'2025-03-03',116.40),(15,9,102,'2025-02-06','heating','Rear heater blows cold',0,'2025-02-14',112.00),(16,6,106,'2025-02-24','tail lift','Tail lift stuck halfway',0,'2025-03-08',104.40),(17,7,104,'2025-02-25','tyres','Nearside rear tyre bulge',0,'2025-03-05',16.00),(18,1,111,'2025-02-25','bodywork','Door mirror cracked',0,'2025-03-16',46.20),(19,10,105,'2025-03-07','tyres','Tread below limit both fronts',0,'2025-03-10',317.25),(20,9,103,'2025-03-08','engine','Warning light, loss of power',1,'2025-04-04',395.00),(21,5,103,'2025-03-19','engine','Gearbox failure',1,NULL,NULL),(22,9,107,'2025-03-29','brakes','Grinding noise when braking',1,'2025-04-10',0.00),(23,8,101,'2025-04-01','lights','Saloon light flickering',0,NULL,NULL),(24,9,112,'2025-04-02','wheelchair clamps','Rear clamp webbing frayed',0,NULL,NULL),(25,3,106,'2025-04-06','tail lift','Lift platform barrier bent',0,'2025-04-06',30.40);
/*!40000 ALTER TABLE `defect` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `hospital`
--

DROP TABLE IF EXISTS `hospital`;
/*!50503 SET character_set_client = utf8mb4 */;
CREATE TABLE `hospital` (
  `hosp_id` int NOT NULL AUTO_INCREMENT,
  `hosp_name` varchar(80) NOT NULL,
  `trust_name` varchar(80) DEFAULT NULL,
  `pcode` varchar(10) DEFAULT NULL,
  `switchbd_tel` varchar(20) DEFAULT NULL,
  `renal_unit` tinyint(1) NOT NULL DEFAULT '0',
  `has_disch_lounge` tinyint(1) NOT NULL DEFAULT '0',
  PRIMARY KEY (`hosp_id`)
) ENGINE=InnoDB AUTO_INCREMENT=10 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;

--
-- Dumping data for table `hospital`
--

LOCK TABLES `hospital` WRITE;
/*!40000 ALTER TABLE `hospital` DISABLE KEYS */;
INSERT INTO `hospital` VALUES (1,'Marlingford Royal Infirmary','Wenbury & Coast NHS Trust','WB1 4QT','01598 770100',1,1),(2,'St Aldhelm Hospital','Wenbury & Coast NHS Trust','WB7 2HN','01598 770460',0,1),(3,'Coldharbour Dialysis Centre','Wenbury & Coast NHS Trust','WB3 8DD','01598 771212',1,0),(4,'Queen Adelaide Cancer Centre','Five Rivers NHS Trust','FR2 6LB','01631 204400',0,0),(5,'Ridgeway Community Hospital','Five Rivers NHS Trust','FR9 1PE','01631 204877',0,1),(6,'Penmoor Eye Unit','Five Rivers NHS Trust','FR4 3SX',NULL,0,0),(7,'Thornbank Hospice','Thornbank Trust (charity)','WB9 5JW','01598 330055',0,0),(8,'Hallowfield Orthopaedic Hospital','Five Rivers NHS Trust','FR6 7TG','01631 209000',0,1),(9,'Saltern Rehabilitation Unit','Wenbury & Coast NHS Trust','WB12 1AA',NULL,0,0);
/*!40000 ALTER TABLE `hospital` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `journey`
--

DROP TABLE IF EXISTS `journey`;
/*!50503 SET character_set_client = utf8mb4 */;
CREATE TABLE `journey` (
  `jny_id` int NOT NULL AUTO_INCREMENT,
  `pat_id` int NOT NULL,
  `shift_id` int DEFAULT NULL,
  `hosp_id` int NOT NULL,
  `direction` enum('outward','return') NOT NULL,
  `booked_on` date DEFAULT NULL,
  `jny_dt` date NOT NULL,
  `appt_tm` time DEFAULT NULL,
  `ready_tm` time DEFAULT NULL,
  `pickup_tm` time DEFAULT NULL,
  `dropoff_tm` time DEFAULT NULL,
  `miles` decimal(5,1) DEFAULT NULL,
  `status` enum('booked','completed','aborted','cancelled') NOT NULL,
  `reason` varchar(80) DEFAULT NULL,
  PRIMARY KEY (`jny_id`),
  KEY `idx_jny_dt` (`jny_dt`),
  CONSTRAINT `fk_jny_pat` FOREIGN KEY (`pat_id`) REFERENCES `patient` (`pat_id`),
  CONSTRAINT `fk_jny_shift` FOREIGN KEY (`shift_id`) REFERENCES `shift` (`shift_id`),
  CONSTRAINT `fk_jny_hosp` FOREIGN KEY (`hosp_id`) REFERENCES `hospital` (`hosp_id`)
) ENGINE=InnoDB AUTO_INCREMENT=70104 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;

--
-- Dumping data for table `journey`
--

LOCK TABLES `journey` WRITE;
/*!40000 ALTER TABLE `journey` DISABLE KEYS */;
INSERT INTO `journey` VALUES (70001,503,3001,3,'return','2025-01-20','2025-02-10',NULL,'06:20:00','06:55:00','07:31:00',12.6,'completed',NULL),(70002,525,3001,8,'outward','2025-01-17','2025-02-10','09:05:00',NULL,'07:56:00','08:29:00',18.7,'completed',NULL),(70003,505,3002,3,'return','2025-01-20','2025-02-13',NULL,'06:21:00','06:46:00','07:26:00',24.7,'completed',NULL),(70004,531,3002,9,'outward','2025-01-16','2025-02-13','09:05:00',NULL,'08:06:00','08:25:00',7.1,'completed',NULL),(70005,505,NULL,3,'outward','2025-02-08','2025-02-14','08:15:00',NULL,NULL,NULL,NULL,'cancelled','duplicate booking'),(70006,503,3003,6,'outward','2025-02-09','2025-02-18','08:10:00',NULL,'06:55:00',NULL,NULL,'aborted','no answer at door'),(70007,523,3005,4,'return','2025-02-19','2025-02-21',NULL,'08:02:00','08:27:00','08:47:00',11.3,'completed',NULL),(70008,511,3004,3,'outward','2025-02-07','2025-02-21','08:55:00',NULL,'08:38:00','09:09:00',13.8,'completed',NULL),(70009,507,3004,3,'return','2025-01-31','2025-02-21',NULL,'09:46:00','09:51:00','10:09:00',6.9,'completed',NULL),(70010,503,3006,6,'outward','2025-02-16','2025-02-22','08:30:00',NULL,'07:51:00','08:36:00',17.5,'completed',NULL),(70011,535,3006,1,'return','2025-02-12','2025-02-22',NULL,'08:59:00','09:04:00','09:40:00',18.6,'completed',NULL),(70012,505,3007,8,'outward','2025-02-01','2025-02-26','07:45:00',NULL,'06:50:00','07:41:00',24.0,'completed',NULL),(70013,509,3007,2,'return','2025-01-30','2025-02-26',NULL,'08:27:00','08:37:00','09:02:00',15.3,'completed',NULL),(70014,516,3008,3,'outward','2025-01-30','2025-02-26','09:40:00',NULL,'09:23:00','10:02:00',24.0,'completed',NULL),(70015,503,3008,3,'return','2025-02-11','2025-02-26',NULL,'10:34:00','10:49:00','11:35:00',26.2,'completed',NULL),(70016,524,3009,1,'return','2025-02-20','2025-03-01',NULL,'07:15:00','07:40:00',NULL,NULL,'aborted','patient already collected by family'),(70017,526,3010,4,'outward','2025-02-07','2025-03-01','08:45:00',NULL,'08:15:00','08:59:00',25.0,'completed',NULL),(70018,507,3009,3,'outward','2025-02-10','2025-03-01','09:20:00',NULL,'08:20:00','08:43:00',9.0,'completed',NULL),(70019,525,3010,7,'outward','2025-02-04','2025-03-01','11:05:00',NULL,'10:12:00','10:50:00',18.4,'completed',NULL),(70020,506,NULL,5,'outward','2025-02-23','2025-03-01','14:00:00',NULL,NULL,NULL,NULL,'cancelled','cancelled by ward'),(70021,501,3011,6,'outward','2025-02-17','2025-03-03','09:45:00',NULL,'09:25:00','09:55:00',18.2,'completed',NULL),(70022,521,3012,6,'outward','2025-03-02','2025-03-05','10:10:00',NULL,'09:23:00','10:02:00',15.3,'completed',NULL),(70023,509,3012,2,'return','2025-02-22','2025-03-05',NULL,'10:55:00','11:20:00','12:14:00',22.7,'completed',NULL),(70024,523,3013,6,'outward','2025-02-18','2025-03-06','08:25:00',NULL,'07:34:00','08:12:00',13.5,'completed',NULL),(70025,513,3013,9,'return','2025-02-23','2025-03-06',NULL,'08:14:00','09:24:00',NULL,NULL,'aborted','patient unwell'),(70026,524,3014,9,'outward','2025-02-20','2025-03-07','09:45:00',NULL,'08:31:00','09:06:00',18.2,'completed',NULL),(70027,507,3014,3,'return','2025-02-23','2025-03-07',NULL,'09:28:00','10:18:00','11:07:00',29.3,'completed',NULL),(70028,514,3014,3,'outward','2025-02-13','2025-03-07','11:50:00',NULL,'11:35:00','12:14:00',22.9,'completed',NULL),(70029,511,NULL,3,'outward','2025-03-02','2025-03-11','14:45:00',NULL,NULL,NULL,NULL,'cancelled','cancelled by ward'),(70030,535,3015,5,'return','2025-02-20','2025-03-12',NULL,'06:21:00','06:26:00','07:11:00',21.5,'completed',NULL),(70031,503,3015,2,'outward','2025-02-25','2025-03-12','08:50:00',NULL,'07:58:00','08:31:00',18.9,'completed',NULL),(70032,520,3015,8,'outward','2025-03-06','2025-03-12','09:25:00',NULL,'08:57:00','09:18:00',12.6,'completed',NULL),(70033,503,3016,6,'outward','2025-02-16','2025-03-14','09:35:00',NULL,'08:29:00','09:11:00',25.9,'completed',NULL),(70034,509,3016,8,'return','2025-02-16','2025-03-14',NULL,'10:15:00','10:25:00','11:23:00',28.4,'completed',NULL),(70035,512,3018,3,'outward','2025-03-08','2025-03-18','08:25:00',NULL,'07:43:00',NULL,NULL,'aborted','clinic cancelled'),(70036,503,3017,6,'outward','2025-03-14','2025-03-18','08:50:00',NULL,'08:35:00','08:56:00',11.5,'completed',NULL),(70037,530,3017,2,'outward','2025-02-23','2025-03-18','10:50:00',NULL,'09:37:00','10:19:00',20.3,'completed',NULL),(70038,509,3017,2,'return','2025-02-20','2025-03-18',NULL,'10:49:00','11:39:00',NULL,NULL,'aborted','patient not ready'),(70039,521,3019,6,'outward','2025-02-22','2025-03-20','07:50:00',NULL,'07:05:00','07:37:00',12.7,'completed',NULL),(70040,511,3020,3,'return','2025-03-01','2025-03-20',NULL,'07:18:00','07:53:00','08:40:00',25.3,'completed',NULL),(70041,527,3020,5,'outward','2025-03-07','2025-03-20','10:05:00',NULL,'09:48:00','10:28:00',19.7,'completed',NULL),(70042,525,3020,6,'outward','2025-03-08','2025-03-20','11:40:00',NULL,'11:04:00','11:48:00',20.8,'completed',NULL),(70043,516,3021,3,'outward','2025-03-02','2025-03-22','07:00:00',NULL,'06:21:00','06:47:00',11.0,'completed',NULL),(70044,516,3022,4,'return','2025-03-12','2025-03-24',NULL,'06:43:00','06:58:00','07:56:00',35.7,'completed',NULL),(70045,523,3022,4,'outward','2025-03-18','2025-03-24','10:10:00',NULL,'08:56:00','09:58:00',25.8,'completed',NULL),(70046,526,3023,4,'outward','2025-03-20','2025-03-25','07:25:00',NULL,'06:31:00','07:08:00',19.3,'completed',NULL),(70047,516,3023,3,'outward','2025-02-26','2025-03-25','08:55:00',NULL,'08:12:00','08:37:00',8.9,'completed',NULL),(70048,509,3024,1,'outward','2025-03-08','2025-03-26','07:30:00',NULL,'07:01:00','07:23:00',11.6,'completed',NULL),(70049,502,3024,3,'outward','2025-03-17','2025-03-26','08:55:00',NULL,'08:21:00','08:41:00',10.8,'completed',NULL),(70050,534,3025,4,'outward','2025-03-16','2025-03-28','09:10:00',NULL,'08:35:00','09:22:00',28.8,'completed',NULL),(70051,521,3025,8,'outward','2025-03-21','2025-03-28','11:30:00',NULL,'10:14:00','10:54:00',22.2,'completed',NULL),(70052,516,3026,3,'outward','2025-03-28','2025-03-31','08:20:00',NULL,'07:12:00','08:10:00',25.6,'completed',NULL),(70053,524,3026,3,'return','2025-03-08','2025-03-31',NULL,'08:25:00','09:15:00',NULL,NULL,'aborted','clinic cancelled'),(70054,525,3027,7,'outward','2025-03-19','2025-04-02','09:50:00',NULL,'08:22:00','09:17:00',31.7,'completed',NULL),(70055,531,3027,5,'outward','2025-03-24','2025-04-02','11:30:00',NULL,'10:16:00','11:08:00',23.4,'completed',NULL),(70056,523,3027,2,'return','2025-03-08','2025-04-02',NULL,'11:24:00','11:39:00',NULL,NULL,'aborted','no answer at door'),(70057,509,3028,2,'outward','2025-03-11','2025-04-03','07:35:00',NULL,'07:14:00',NULL,NULL,'aborted','patient not ready'),(70058,510,3028,5,'return','2025-03-14','2025-04-03',NULL,'07:21:00','07:46:00','08:25:00',14.2,'completed',NULL),(70059,508,3029,1,'outward','2025-03-20','2025-04-05','10:45:00',NULL,'10:06:00','10:25:00',8.9,'completed',NULL),(70060,516,3029,4,'outward','2025-03-15','2025-04-05','12:25:00',NULL,'11:11:00','11:47:00',13.9,'completed',NULL),(70061,507,3030,3,'outward','2025-03-20','2025-04-08','08:05:00',NULL,'07:44:00','08:15:00',14.8,'completed',NULL),(70062,535,3031,6,'outward','2025-03-13','2025-04-09','10:35:00',NULL,'09:59:00','10:33:00',17.9,'completed',NULL),(70063,525,3031,6,'outward','2025-04-07','2025-04-09','12:45:00',NULL,'11:26:00','12:07:00',24.8,'completed',NULL),(70064,534,3032,2,'outward','2025-03-22','2025-04-12','08:00:00',NULL,'06:55:00','07:37:00',15.2,'completed',NULL),(70065,525,3033,6,'outward','2025-03-30','2025-04-12','09:05:00',NULL,'08:02:00','08:57:00',24.4,'completed',NULL),(70066,506,3032,5,'outward','2025-04-09','2025-04-12','09:55:00',NULL,'08:55:00','09:39:00',23.1,'completed',NULL),(70067,516,3033,3,'outward','2025-03-26','2025-04-12','11:10:00',NULL,'10:00:00','10:31:00',13.5,'completed',NULL),(70068,509,3034,5,'outward','2025-04-04','2025-04-14','08:45:00',NULL,'08:36:00','08:55:00',8.5,'completed',NULL),(70069,503,3034,6,'return','2025-03-28','2025-04-14',NULL,'09:58:00','10:08:00','10:29:00',12.2,'completed',NULL),(70070,512,3035,3,'return','2025-04-06','2025-04-17',NULL,'05:33:00','06:43:00','07:04:00',8.4,'completed',NULL),(70071,531,3035,3,'outward','2025-04-02','2025-04-17','08:45:00',NULL,'07:58:00','08:55:00',33.4,'completed',NULL),(70072,524,3035,3,'outward','2025-03-21','2025-04-17','10:30:00',NULL,'10:14:00','10:39:00',13.0,'completed',NULL),(70073,509,NULL,2,'outward','2025-03-28','2025-04-17','12:45:00',NULL,NULL,NULL,NULL,'cancelled','cancelled by ward'),(70074,525,NULL,6,'outward','2025-04-13','2025-04-21','11:15:00',NULL,NULL,NULL,NULL,'cancelled','cancelled by patient'),(70075,521,NULL,6,'outward','2025-04-08','2025-04-22','14:15:00',NULL,NULL,NULL,NULL,'cancelled','cancelled by ward'),(70076,509,3036,8,'return','2025-04-03','2025-04-23',NULL,'05:47:00','06:57:00','07:39:00',19.3,'completed',NULL),(70077,534,3037,2,'outward','2025-04-12','2025-04-23','07:55:00',NULL,'07:23:00','08:19:00',22.2,'completed',NULL),(70078,505,3037,3,'return','2025-04-03','2025-04-23',NULL,'07:56:00','08:46:00','09:48:00',31.6,'completed',NULL),(70079,532,3039,3,'return','2025-03-31','2025-04-25',NULL,'06:19:00','07:09:00','07:42:00',11.9,'completed',NULL),(70080,523,3039,6,'return','2025-04-12','2025-04-25',NULL,'07:02:00','08:12:00','08:59:00',28.6,'completed',NULL),(70081,501,3039,8,'return','2025-04-12','2025-04-25',NULL,'08:03:00','09:38:00','10:39:00',36.4,'completed',NULL),(70082,517,3038,4,'return','2025-04-03','2025-04-25',NULL,'09:18:00','09:53:00',NULL,NULL,'aborted','patient not ready'),(70083,512,3040,3,'outward','2025-04-21','2025-04-28','08:10:00',NULL,'07:38:00','07:59:00',8.7,'completed',NULL),(70084,518,NULL,2,'outward','2025-04-11','2025-04-29','12:30:00',NULL,NULL,NULL,NULL,'cancelled','cancelled by patient'),(70085,509,3042,7,'outward','2025-04-03','2025-04-30','08:55:00',NULL,'07:57:00','08:16:00',7.6,'completed',NULL),(70086,520,3041,8,'outward','2025-04-28','2025-04-30','08:30:00',NULL,'08:07:00','08:27:00',11.9,'completed',NULL),(70087,512,3043,3,'return','2025-04-07','2025-05-02',NULL,'06:02:00','06:52:00','07:51:00',30.7,'completed',NULL),(70088,518,3043,2,'outward','2025-04-19','2025-05-02','09:35:00',NULL,'08:35:00','08:55:00',8.1,'completed',NULL),(70089,521,3043,6,'outward','2025-04-22','2025-05-02','11:10:00',NULL,'10:11:00','11:01:00',20.1,'completed',NULL),(70090,521,3044,6,'return','2025-04-23','2025-05-05',NULL,'06:45:00','06:55:00',NULL,NULL,'aborted','patient already collected by family'),(70091,512,3044,5,'outward','2025-04-27','2025-05-05','08:05:00',NULL,'07:55:00','08:21:00',16.1,'completed',NULL),(70092,521,3045,6,'outward','2025-04-12','2025-05-08','08:30:00',NULL,'08:10:00',NULL,NULL,'aborted','no answer at door'),(70093,526,3046,4,'return','2025-05-09','2025-05-10',NULL,'06:20:00','06:25:00','07:07:00',20.7,'completed',NULL),(70094,516,3046,3,'return','2025-04-18','2025-05-10',NULL,'08:06:00','08:16:00','08:36:00',7.1,'completed',NULL),(70095,526,NULL,4,'outward','2025-05-05','2025-05-13','12:15:00',NULL,NULL,NULL,NULL,'booked',NULL),(70096,516,NULL,3,'outward','2025-05-01','2025-05-19','09:00:00',NULL,NULL,NULL,NULL,'booked',NULL),(70097,519,NULL,3,'outward','2025-05-01','2025-05-20','10:30:00',NULL,NULL,NULL,NULL,'booked',NULL),(70098,502,NULL,3,'outward','2025-05-03','2025-05-21','13:00:00',NULL,NULL,NULL,NULL,'booked',NULL),(70099,504,NULL,2,'outward','2025-05-01','2025-05-21','14:00:00',NULL,NULL,NULL,NULL,'booked',NULL),(70100,515,NULL,3,'outward','2025-05-10','2025-05-22','08:00:00',NULL,NULL,NULL,NULL,'booked',NULL),(70101,525,NULL,6,'outward','2025-05-06','2025-05-27','13:30:00',NULL,NULL,NULL,NULL,'booked',NULL),(70102,516,NULL,3,'outward','2025-05-02','2025-05-28','10:00:00',NULL,NULL,NULL,NULL,'booked',NULL),(70103,521,NULL,6,'outward','2025-05-03','2025-05-29','12:45:00',NULL,NULL,NULL,NULL,'booked',NULL);
/*!40000 ALTER TABLE `journey` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `patient`
--

DROP TABLE IF EXISTS `patient`;
/*!50503 SET character_set_client = utf8mb4 */;
CREATE TABLE `patient` (
  `pat_id` int NOT NULL AUTO_INCREMENT,
  `full_name` varchar(60) NOT NULL,
  `nhs_no` char(12) DEFAULT NULL,
  `dob` date DEFAULT NULL,
  `mobility` enum('walking','wheelchair','stretcher') NOT NULL,
  `oxygen` tinyint(1) NOT NULL DEFAULT '0',
  `escort_req` tinyint(1) NOT NULL DEFAULT '0',
  `home_town` varchar(40) DEFAULT NULL,
  `access_notes` text,
  PRIMARY KEY (`pat_id`)
) ENGINE=InnoDB AUTO_INCREMENT=539 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;

--
-- Dumping data for table `patient`
--

LOCK TABLES `patient` WRITE;
/*!40000 ALTER TABLE `patient` DISABLE KEYS */;
INSERT INTO `patient` VALUES (501,'Albert Winstanley','431 421 8511','1939-12-05','wheelchair',1,1,'Marlingford','Steep drive, park on road'),(502,'Doreen Pickthall','581 291 9170','1958-07-29','walking',0,0,'Saltern',NULL),(503,'Cyril Maddox','628 103 8426','1939-03-17','wheelchair',0,0,'Saltern',NULL),(504,'Mabel Ormerod','679 292 5813','1951-06-29','wheelchair',0,1,'Coldharbour',NULL),(505,'Hassan Rahimi','401 323 4882','1928-04-05','walking',1,1,'Penmoor',NULL),(506,'Edna Colclough','664 609 1613','1930-04-12','walking',0,0,'Wenbury','Needs interpreter'),(507,'Vera Kowalczyk','478 273 1790','1959-09-22','walking',0,1,'Saltern',NULL),(508,'Stanley Brook','573 724 6444','1944-10-09','wheelchair',0,0,'Coldharbour','Key safe, code with control'),(509,'Phyllis Nankervis','551 278 4216','1956-02-29','walking',1,0,'Penmoor','Third floor, lift unreliable'),(510,'Joginder Bains','446 534 6260','1946-08-22','stretcher',0,0,'Fivehead','Key safe, code with control'),(511,'Winifred Aske','443 906 7083','1937-05-11','wheelchair',0,0,'Penmoor',NULL),(512,'Leonard Trott','674 700 6484','1941-12-05','walking',0,0,'Wenbury',NULL),(513,'Beryl Hallam','568 721 3529','1939-07-22','walking',0,0,'Fivehead',NULL),(514,'Marcus Devereux','564 685 6402','1958-04-05','stretcher',0,0,'Penmoor','Third floor, lift unreliable'),(515,'Olive Sandford','669 249 3912','1960-06-17','stretcher',0,0,'Penmoor',NULL),(516,'Ernest Quilter','696 605 1480','1929-10-03','walking',0,0,'Saltern','Steep drive, park on road'),(517,'Ivy Penhaligon','416 570 1710','1950-09-06','stretcher',0,0,'Penmoor',NULL),(518,'Patience Mensah','681 300 8296','1945-04-11','wheelchair',0,0,'Marlingford',NULL),(519,'Gordon Fairley','573 105 6630','1942-02-21','stretcher',0,1,'Penmoor','Carer rings when ready'),(520,'Hilda Rosewarne','573 983 7207','1950-04-27','walking',0,0,'Marlingford',NULL),(521,'Samuel Adeyemi','478 174 6936','1928-11-06','wheelchair',0,0,'Fivehead','Carer rings when ready'),(522,'Constance Bray','506 429 6861','1961-09-10','stretcher',0,0,'Saltern',NULL),(523,'Reginald Hoult','506 765 8266','1937-12-06','walking',0,0,'Penmoor',NULL),(524,'Dilys Merrick','696 347 7227','1939-05-12','walking',0,1,'Saltern',NULL),(525,'Frank Ollerton','550 138 2706','1931-07-01','wheelchair',0,1,'Fivehead','Third floor, lift unreliable'),(526,'Theresa Galea','419 904 1826','1932-12-25','wheelchair',0,0,'Fivehead',NULL),(527,'Norman Sykes','495 789 1668','1961-01-10','wheelchair',1,0,'Fivehead',NULL),(528,'Pearl Blanchett','654 627 3513','1947-03-30','stretcher',0,1,'Fivehead','Carer rings when ready'),(529,'Aubrey Stoddart','465 826 1281','1933-03-02','wheelchair',0,0,'Saltern','Key safe, code with control'),(530,'Lilian Cheng','485 364 9615','1935-04-07','stretcher',1,0,'Marlingford','Third floor, lift unreliable'),(531,'Horace Tindall','681 916 7079','1936-06-07','walking',0,0,'Wenbury',NULL),(532,'Muriel Yates','469 703 3378','1954-11-06','stretcher',1,1,'Saltern',NULL),(533,'Clifford Jarman','509 810 1010','1931-09-25','walking',0,0,'Penmoor','Key safe, code with control'),(534,'Bernadette Foy','599 224 2529','1959-04-08','walking',0,1,'Fivehead','Third floor, lift unreliable'),(535,'Wilfred Acton','551 286 6348','1958-08-28','wheelchair',0,0,'Penmoor',NULL),(536,'Ada Lonsdale','581 637 1075','1931-12-28','wheelchair',0,0,'Marlingford','Needs interpreter'),(537,'Ronald Impey','646 375 9197','1938-05-23','wheelchair',1,0,'Penmoor','Needs interpreter'),(538,'Sylvia Kettle','665 408 1022','1955-04-22','walking',0,0,'Marlingford',NULL);
/*!40000 ALTER TABLE `patient` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `shift`
--

DROP TABLE IF EXISTS `shift`;
/*!50503 SET character_set_client = utf8mb4 */;
CREATE TABLE `shift` (
  `shift_id` int NOT NULL AUTO_INCREMENT,
  `shift_dt` date NOT NULL,
  `veh_id` int NOT NULL,
  `driver_id` int NOT NULL,
  `attendant_id` int DEFAULT NULL,
  `base_stn` varchar(30) DEFAULT NULL,
  `start_tm` time NOT NULL,
  `end_tm` time DEFAULT NULL,
  `start_odo` int DEFAULT NULL,
  `end_odo` int DEFAULT NULL,
  PRIMARY KEY (`shift_id`),
  KEY `fk_shift_veh` (`veh_id`),
  CONSTRAINT `fk_shift_veh` FOREIGN KEY (`veh_id`) REFERENCES `vehicle` (`veh_id`),
  CONSTRAINT `fk_shift_drv` FOREIGN KEY (`driver_id`) REFERENCES `crew_member` (`crew_id`),
  CONSTRAINT `fk_shift_att` FOREIGN KEY (`attendant_id`) REFERENCES `crew_member` (`crew_id`)
) ENGINE=InnoDB AUTO_INCREMENT=3047 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;

--
-- Dumping data for table `shift`
--

LOCK TABLES `shift` WRITE;
/*!40000 ALTER TABLE `shift` DISABLE KEYS */;
INSERT INTO `shift` VALUES (3001,'2025-02-10',7,115,111,'Fivehead','06:00:00','14:40:00',74858,74922),(3002,'2025-02-13',11,114,NULL,'Fivehead','06:00:00','15:25:00',18859,18913),(3003,'2025-02-18',1,105,107,'Wenbury','06:30:00','17:30:00',102095,102114),(3004,'2025-02-21',1,107,102,'Wenbury','07:30:00','16:30:00',102132,102191),(3005,'2025-02-21',10,113,NULL,'Wenbury','07:30:00','19:10:00',15448,15491),(3006,'2025-02-22',8,110,112,'Fivehead','07:00:00','17:00:00',27224,27304),(3007,'2025-02-26',11,114,NULL,'Fivehead','06:30:00','17:55:00',18950,19016),(3008,'2025-02-26',7,116,117,'Wenbury','09:00:00','17:40:00',74963,75056),(3009,'2025-03-01',10,114,NULL,'Fivehead','06:30:00','16:30:00',15547,15599),(3010,'2025-03-01',9,101,106,'Wenbury','07:30:00','15:55:00',92869,92945),(3011,'2025-03-03',7,112,111,'Fivehead','09:00:00','19:40:00',75071,75131),(3012,'2025-03-05',9,102,NULL,'Wenbury','09:00:00','17:00:00',92946,93021),(3013,'2025-03-06',10,114,NULL,'Fivehead','06:30:00','15:30:00',15659,15713),(3014,'2025-03-07',1,102,107,'Wenbury','07:30:00','15:30:00',102208,102308),(3015,'2025-03-12',8,101,102,'Wenbury','06:00:00','16:00:00',27364,27446),(3016,'2025-03-14',4,104,106,'Wenbury','07:30:00','16:30:00',59567,59643),(3017,'2025-03-18',5,115,109,'Fivehead','07:30:00','18:30:00',165095,165163),(3018,'2025-03-18',6,111,108,'Fivehead','07:00:00','15:00:00',70981,70994),(3019,'2025-03-20',6,109,112,'Fivehead','06:00:00','16:00:00',70994,71054),(3020,'2025-03-20',4,115,110,'Fivehead','07:00:00','18:40:00',59703,59784),(3021,'2025-03-22',9,104,106,'Wenbury','06:00:00','16:25:00',93047,93071),(3022,'2025-03-24',10,114,NULL,'Fivehead','06:30:00','16:30:00',15743,15827),(3023,'2025-03-25',4,115,108,'Fivehead','06:00:00','16:25:00',59843,59890),(3024,'2025-03-26',10,113,NULL,'Wenbury','06:00:00','16:00:00',15875,15935),(3025,'2025-03-28',9,103,102,'Wenbury','07:30:00','15:30:00',93071,93170),(3026,'2025-03-31',10,113,NULL,'Wenbury','06:30:00','15:55:00',15967,16012),(3027,'2025-04-02',7,116,107,'Wenbury','07:30:00','18:10:00',75187,75276),(3028,'2025-04-03',2,103,116,'Wenbury','06:30:00','18:10:00',115276,115307),(3029,'2025-04-05',9,105,104,'Wenbury','09:00:00','20:25:00',93230,93272),(3030,'2025-04-08',4,111,108,'Fivehead','07:00:00','16:25:00',59917,59952),(3031,'2025-04-09',6,109,115,'Fivehead','09:00:00','18:00:00',71068,71152),(3032,'2025-04-12',11,113,NULL,'Wenbury','06:00:00','17:00:00',19058,19141),(3033,'2025-04-12',3,112,115,'Fivehead','07:00:00','16:00:00',77848,77922),(3034,'2025-04-14',3,106,103,'Wenbury','07:30:00','16:55:00',77963,77999),(3035,'2025-04-17',10,114,NULL,'Fivehead','06:00:00','14:25:00',16045,16113),(3036,'2025-04-23',7,111,108,'Fivehead','06:00:00','16:00:00',75291,75325),(3037,'2025-04-23',11,113,NULL,'Wenbury','07:00:00','16:00:00',19171,19266),(3038,'2025-04-25',4,107,103,'Wenbury','09:00:00','17:40:00',59986,60034),(3039,'2025-04-25',3,111,109,'Fivehead','06:00:00','14:25:00',78034,78139),(3040,'2025-04-28',10,113,NULL,'Wenbury','06:30:00','14:55:00',16116,16141),(3041,'2025-04-30',11,113,NULL,'Wenbury','07:00:00','15:00:00',19274,19331),(3042,'2025-04-30',3,107,103,'Wenbury','07:00:00','16:00:00',78196,78249),(3043,'2025-05-02',9,107,102,'Wenbury','06:30:00','17:55:00',93302,93389),(3044,'2025-05-05',9,107,116,'Wenbury','06:30:00','14:30:00',93408,93444),(3045,'2025-05-08',8,103,107,'Wenbury','07:00:00','16:00:00',27455,27500),(3046,'2025-05-10',6,116,107,'Wenbury','06:00:00','16:00:00',71193,71242);
/*!40000 ALTER TABLE `shift` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `vehicle`
--

DROP TABLE IF EXISTS `vehicle`;
/*!50503 SET character_set_client = utf8mb4 */;
CREATE TABLE `vehicle` (
  `veh_id` int NOT NULL AUTO_INCREMENT,
  `callsign` varchar(20) NOT NULL,
  `reg_no` varchar(10) NOT NULL,
  `make_model` varchar(40) DEFAULT NULL,
  `veh_type` enum('ambulance','wheelchair_car','minibus','car') NOT NULL,
  `stretcher` tinyint(1) NOT NULL DEFAULT '0',
  `wchair_spaces` tinyint NOT NULL DEFAULT '0',
  `odo_mi` int DEFAULT NULL,
  `mot_due` date DEFAULT NULL,
  `off_road_since` date DEFAULT NULL,
  PRIMARY KEY (`veh_id`),
  UNIQUE KEY `uq_callsign` (`callsign`)
) ENGINE=InnoDB AUTO_INCREMENT=13 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;

--
-- Dumping data for table `vehicle`
--

LOCK TABLES `vehicle` WRITE;
/*!40000 ALTER TABLE `vehicle` DISABLE KEYS */;
INSERT INTO `vehicle` VALUES (1,'Papa 10','WX19 KFD','Fiat Ducato','ambulance',1,1,104310,'2025-07-18',NULL),(2,'Papa 11','WX19 KFE','Fiat Ducato','ambulance',1,1,118245,'2025-05-02',NULL),(3,'Papa 12','WN21 BVT','Renault Master','ambulance',1,2,80190,'2025-11-24',NULL),(4,'Papa 14','WN22 RGO','Renault Master','ambulance',1,2,61877,'2026-02-09',NULL),(5,'Papa 15','WF16 ZLC','Mercedes Sprinter','ambulance',1,1,167402,'2025-04-30','2025-03-19'),(6,'Whisky 20','WX20 NDA','Peugeot Boxer','wheelchair_car',0,3,73920,'2025-08-13',NULL),(7,'Whisky 21','WX20 NDB','Peugeot Boxer','wheelchair_car',0,3,77054,'2025-06-27',NULL),(8,'Whisky 22','WK23 SOU','Ford Transit','wheelchair_car',0,4,29431,'2026-01-15',NULL),(9,'Mike 30','WD18 HHU','Volkswagen Crafter','minibus',0,1,95668,'2025-09-05',NULL),(10,'Charlie 40','WK24 AAP','Skoda Octavia','car',0,0,18340,'2027-03-03',NULL),(11,'Charlie 41','WK24 AAR','Skoda Octavia','car',0,0,21112,'2027-03-03',NULL),(12,'Mike 31','WA13 OJK','Iveco Daily','minibus',0,2,201556,'2024-12-12','2024-11-28');
/*!40000 ALTER TABLE `vehicle` ENABLE KEYS */;
UNLOCK TABLES;

/*!40014 SET FOREIGN_KEY_CHECKS=@OLD_FOREIGN_KEY_CHECKS */;

-- Dump completed on 2025-05-11  2:00:04
