-- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)
--
-- Host: localhost    Database: fisheries
-- ------------------------------------------------------
-- Server version	8.0.36-0ubuntu0.22.04.1

/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!40101 SET @OLD_CHARACTER_SET_RESULTS=@@CHARACTER_SET_RESULTS */;
/*!40101 SET @OLD_COLLATION_CONNECTION=@@COLLATION_CONNECTION */;
/*!50503 SET NAMES utf8mb4 */;
/*!40103 SET @OLD_TIME_ZONE=@@TIME_ZONE */;
/*!40103 SET TIME_ZONE='+00:00' */;
/*!40014 SET @OLD_UNIQUE_CHECKS=@@UNIQUE_CHECKS, UNIQUE_CHECKS=0 */;
/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */;
/*!40101 SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='NO_AUTO_VALUE_ON_ZERO' */;
/*!40111 SET @OLD_SQL_NOTES=@@SQL_NOTES, SQL_NOTES=0 */;

--
-- Table structure for table `gear`
--

DROP TABLE IF EXISTS `gear`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!50503 SET character_set_client = utf8mb4 */;
CREATE TABLE `gear` (
  `id` int NOT NULL AUTO_INCREMENT,
  `code` varchar(4) NOT NULL COMMENT 'FAO gear code',
  `name` varchar(60) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_gear_code` (`code`)
) ENGINE=InnoDB AUTO_INCREMENT=9 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `gear`
--

LOCK TABLES `gear` WRITE;
/*!40000 ALTER TABLE `gear` DISABLE KEYS */;
INSERT INTO `gear` VALUES (1,'OTB','Bottom otter trawl'),(2,'OTM','Midwater trawl'),(3,'GNS','Set gillnet'),(4,'LLS','Longline'),(5,'FPO','Pots'),(6,'PS','Purse seine'),(7,'LHP','Pole and line'),(8,'DRB','Boat dredge');
/*!40000 ALTER TABLE `gear` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `harbour`
--

DROP TABLE IF EXISTS `harbour`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!50503 SET character_set_client = utf8mb4 */;
CREATE TABLE `harbour` (
  `id` int NOT NULL AUTO_INCREMENT,
  `name` varchar(80) NOT NULL,
  `ctry` char(2) NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=12 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `harbour`
--

LOCK TABLES `harbour` WRITE;
/*!40000 ALTER TABLE `harbour` DISABLE KEYS */;
INSERT INTO `harbour` VALUES (1,'Killrossan','IE'),(2,'Castlemoyle Quay','IE'),(3,'Ballyduff Strand','IE'),(4,'Puerto de Ribadas','ES'),(5,'A Illoa','ES'),(6,'Port-Lannec','FR'),(7,'Kergroix','FR'),(8,'Hvalsvík','IS'),(9,'Norðurhöfn','IS'),(10,'Trewarren','GB'),(11,'St Brannock','GB');
/*!40000 ALTER TABLE `harbour` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `inspection`
--

DROP TABLE IF EXISTS `inspection`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!50503 SET character_set_client = utf8mb4 */;
CREATE TABLE `inspection` (
  `id` int NOT NULL AUTO_INCREMENT,
  `vessel_id` int NOT NULL,
  `insp_dt` date NOT NULL,
  `inspector` varchar(80) DEFAULT NULL,
  `result` enum('passed','warning','fined') NOT NULL,
  `fine_eur` decimal(9,2) DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `fk_insp_vessel` (`vessel_id`),
  CONSTRAINT `fk_insp_vessel` FOREIGN KEY (`vessel_id`) REFERENCES `vessel` (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=22 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `inspection`
--

LOCK TABLES `inspection` WRITE;
/*!40000 ALTER TABLE `inspection` DISABLE KEYS */;
INSERT INTO `inspection` VALUES (1,13,'2022-03-11','Morgane Tual','fined',4800.00),(2,3,'2022-04-30','Sinéad Nolan','passed',NULL),(3,24,'2022-05-24','Alan Quick','passed',NULL),(4,14,'2022-06-12','Morgane Tual','passed',NULL),(5,12,'2022-06-12','Morgane Tual','passed',NULL),(6,15,'2022-06-13','Katrín Ösp Árnadóttir','passed',NULL),(7,23,'2022-06-21','Alan Quick','fined',1200.00),(8,14,'2022-06-29','Morgane Tual','passed',NULL),(9,20,'2022-08-10','Alan Quick','passed',NULL),(10,9,'2022-12-01','Iria Vázquez','passed',NULL),(11,8,'2022-12-13','Iria Vázquez','warning',NULL),(12,2,'2023-01-14','Sinéad Nolan','passed',NULL),(13,22,'2023-03-14','Alan Quick','passed',NULL),(14,18,'2023-03-30','Katrín Ösp Árnadóttir','passed',NULL),(15,22,'2023-04-19','Tom Lacey','warning',NULL),(16,20,'2023-04-23','Alan Quick','warning',NULL),(17,3,'2023-07-25','Tom Lacey','passed',NULL),(18,5,'2023-08-11','Tom Lacey','passed',NULL),(19,8,'2023-09-22','Iria Vázquez','passed',NULL),(20,5,'2023-10-01','Sinéad Nolan','warning',NULL),(21,4,'2023-11-28','Tom Lacey','passed',NULL);
/*!40000 ALTER TABLE `inspection` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `landing`
--

DROP TABLE IF EXISTS `landing`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!50503 SET character_set_client = utf8mb4 */;
CREATE TABLE `landing` (
  `id` int NOT NULL AUTO_INCREMENT,
  `vessel_id` int NOT NULL,
  `hb_id` int NOT NULL,
  `species_id` int NOT NULL,
  `landed_on` date NOT NULL,
  `kg` decimal(9,1) NOT NULL,
  PRIMARY KEY (`id`),
  KEY `fk_land_vessel` (`vessel_id`),
  KEY `fk_land_hb` (`hb_id`),
  KEY `fk_land_species` (`species_id`),
  CONSTRAINT `fk_land_hb` FOREIGN KEY (`hb_id`) REFERENCES `harbour` (`id`),
  CONSTRAINT `fk_land_species` FOREIGN KEY (`species_id`) REFERENCES `species` (`id`),
  CONSTRAINT `fk_land_vessel` FOREIGN KEY (`vessel_id`) REFERENCES `vessel` (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=1047 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `landing`
--

LOCK TABLES `landing` WRITE;
/*!40000 ALTER TABLE `landing` DISABLE KEYS */;
INSERT INTO `landing` VALUES (1001,8,5,2,'2022-01-30',733.2),(1002,9,5,5,'2022-02-10',7373.6),(1003,6,3,11,'2022-02-21',371.9),(1004,18,9,10,'2022-03-19',582.3),(1005,11,7,4,'2022-04-03',1150.3),(1006,19,11,4,'2022-04-13',503.7),(1007,17,9,5,'2022-04-27',21665.2),(1008,5,1,8,'2022-05-26',164.1),(1009,16,8,2,'2022-06-06',579.4),(1010,20,10,7,'2022-06-15',106.7),(1011,23,10,13,'2022-07-06',478.8),(1012,20,11,8,'2022-07-19',128.3),(1013,3,2,5,'2022-07-28',41245.0),(1014,3,2,5,'2022-08-10',42903.3),(1015,19,11,4,'2022-08-28',487.0),(1016,8,4,2,'2022-09-07',1045.3),(1017,1,1,2,'2022-09-08',820.4),(1018,4,2,7,'2022-10-10',120.8),(1019,12,6,1,'2022-10-12',1505.5),(1020,3,8,6,'2022-10-21',30990.0),(1021,23,10,13,'2022-10-27',422.3),(1022,21,10,3,'2022-10-28',636.9),(1023,23,11,13,'2022-11-05',607.4),(1024,15,9,1,'2022-11-08',1094.0),(1025,6,3,3,'2022-12-04',737.7),(1026,24,10,6,'2022-12-22',17371.3),(1027,22,10,11,'2023-01-31',722.9),(1028,12,7,10,'2023-02-12',1276.1),(1029,22,10,11,'2023-02-18',714.1),(1030,11,6,11,'2023-02-20',564.5),(1031,7,1,4,'2023-03-14',2610.5),(1032,10,5,12,'2023-03-16',330.2),(1033,7,5,1,'2023-05-12',1053.8),(1034,21,10,13,'2023-05-24',554.8),(1035,9,5,6,'2023-06-07',11337.4),(1036,2,1,3,'2023-06-08',1417.8),(1037,13,7,7,'2023-06-29',63.7),(1038,4,1,8,'2023-07-01',68.5),(1039,9,5,6,'2023-07-12',11471.5),(1040,18,9,2,'2023-07-14',1248.2),(1041,2,1,3,'2023-07-23',1202.7),(1042,1,2,2,'2023-07-28',1382.2),(1043,17,6,5,'2023-09-02',41250.0),(1044,5,1,8,'2023-10-14',65.7),(1045,15,8,1,'2023-11-04',2953.7),(1046,7,4,1,'2023-11-18',2439.3);
/*!40000 ALTER TABLE `landing` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `owner`
--

DROP TABLE IF EXISTS `owner`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!50503 SET character_set_client = utf8mb4 */;
CREATE TABLE `owner` (
  `id` int NOT NULL AUTO_INCREMENT,
  `name` varchar(120) NOT NULL,
  `type` enum('company','cooperative','person') NOT NULL DEFAULT 'company',
  `hb_id` int DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `fk_owner_hb` (`hb_id`),
  CONSTRAINT `fk_owner_hb` FOREIGN KEY (`hb_id`) REFERENCES `harbour` (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=13 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `owner`
--

LOCK TABLES `owner` WRITE;
/*!40000 ALTER TABLE `owner` DISABLE KEYS */;
INSERT INTO `owner` VALUES (1,'O\'Dwyer & Sons Ltd','company',1),(2,'Hanlon Fishing Co.','company',2),(3,'Pesqueras Ribadas S.L.','company',4),(4,'Cofradía de A Illoa','cooperative',5),(5,'Armement Le Cam','company',6),(6,'Guðrún Jónsdóttir','person',8),(7,'Hvalsvík Seafood ehf.','company',8),(8,'Trewarren Fishermen\'s Co-op','cooperative',10),(9,'Jory Penrose','person',10),(10,'Mary O\'Flaherty','person',3),(11,'Bluewater Holdings plc','company',NULL),(12,'Yannick Guivarch','person',7);
/*!40000 ALTER TABLE `owner` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `quota`
--

DROP TABLE IF EXISTS `quota`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!50503 SET character_set_client = utf8mb4 */;
CREATE TABLE `quota` (
  `id` int NOT NULL AUTO_INCREMENT,
  `vessel_id` int NOT NULL,
  `species_id` int NOT NULL,
  `yr` year NOT NULL,
  `tonnes` decimal(7,1) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_quota` (`vessel_id`,`species_id`,`yr`),
  KEY `fk_quota_species` (`species_id`),
  CONSTRAINT `fk_quota_species` FOREIGN KEY (`species_id`) REFERENCES `species` (`id`),
  CONSTRAINT `fk_quota_vessel` FOREIGN KEY (`vessel_id`) REFERENCES `vessel` (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=28 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `quota`
--

LOCK TABLES `quota` WRITE;
/*!40000 ALTER TABLE `quota` DISABLE KEYS */;
INSERT INTO `quota` VALUES (1,1,2,2023,23.7),(2,1,2,2022,24.5),(3,2,11,2022,12.4),(4,2,4,2022,31.2),(5,3,6,2022,470.2),(6,3,6,2023,443.6),(7,7,4,2023,38.0),(8,8,3,2022,36.4),(9,8,2,2022,17.8),(10,9,6,2023,678.8),(11,9,6,2022,691.1),(12,10,12,2023,27.2),(13,11,2,2022,19.0),(14,12,9,2023,13.3),(15,12,9,2022,14.0),(16,15,4,2023,55.9),(17,15,4,2022,55.4),(18,17,6,2022,519.0),(19,17,5,2022,1666.7),(20,18,9,2022,29.9),(21,19,4,2023,19.9),(22,19,4,2022,18.6),(23,19,3,2022,18.5),(24,21,9,2023,20.6),(25,21,2,2022,8.4),(26,21,2,2023,7.3),(27,24,6,2023,633.5);
/*!40000 ALTER TABLE `quota` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `species`
--

DROP TABLE IF EXISTS `species`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!50503 SET character_set_client = utf8mb4 */;
CREATE TABLE `species` (
  `id` int NOT NULL AUTO_INCREMENT,
  `code` char(3) NOT NULL COMMENT 'FAO 3-alpha',
  `name` varchar(60) NOT NULL,
  `sci_name` varchar(80) DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_species_code` (`code`)
) ENGINE=InnoDB AUTO_INCREMENT=14 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `species`
--

LOCK TABLES `species` WRITE;
/*!40000 ALTER TABLE `species` DISABLE KEYS */;
INSERT INTO `species` VALUES (1,'COD','Atlantic cod','Gadus morhua'),(2,'HAD','Haddock','Melanogrammus aeglefinus'),(3,'MON','Monkfish','Lophius piscatorius'),(4,'HKE','European hake','Merluccius merluccius'),(5,'MAC','Mackerel','Scomber scombrus'),(6,'HER','Herring','Clupea harengus'),(7,'LBE','European lobster','Homarus gammarus'),(8,'CRE','Brown crab','Cancer pagurus'),(9,'LEZ','Megrim','Lepidorhombus whiffiagonis'),(10,'NEP','Langoustine','Nephrops norvegicus'),(11,'POL','Pollack','Pollachius pollachius'),(12,'ALB','Albacore','Thunnus alalunga'),(13,'SCE','King scallop','Pecten maximus');
/*!40000 ALTER TABLE `species` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `vessel`
--

DROP TABLE IF EXISTS `vessel`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!50503 SET character_set_client = utf8mb4 */;
CREATE TABLE `vessel` (
  `id` int NOT NULL AUTO_INCREMENT,
  `name` varchar(80) NOT NULL,
  `reg_no` varchar(16) NOT NULL,
  `built` year DEFAULT NULL,
  `len_m` decimal(5,2) DEFAULT NULL,
  `hb_id` int NOT NULL COMMENT 'home port',
  `skipper` varchar(80) DEFAULT NULL,
  `prev_name` varchar(80) DEFAULT NULL,
  `active` tinyint(1) NOT NULL DEFAULT '1',
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_reg` (`reg_no`),
  KEY `fk_vessel_hb` (`hb_id`),
  CONSTRAINT `fk_vessel_hb` FOREIGN KEY (`hb_id`) REFERENCES `harbour` (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=25 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `vessel`
--

LOCK TABLES `vessel` WRITE;
/*!40000 ALTER TABLE `vessel` DISABLE KEYS */;
INSERT INTO `vessel` VALUES (1,'Saint Brendan\'s Pride','S 112',1998,23.80,1,'Declan O\'Dwyer',NULL,1),(2,'Róisín Dubh','S 87',2004,18.20,1,'Cathal Roche','Ocean Harvester',1),(3,'Atlantic Dawn II','D 655',2011,44.60,2,'Fergus Hanlon',NULL,1),(4,'Stella Maris','D 203',1987,12.10,2,'Padraig Keane',NULL,1),(5,'Girl Nuala','T 19',1979,9.75,3,'Mary O\'Flaherty',NULL,1),(6,'Ard Mhuire','T 44',1992,14.90,3,'Colm Devane','Fair Isle Lass',0),(7,'Nuevo Ribadas','VI-5-1204',2016,33.00,4,'Xoán Castro',NULL,1),(8,'Praia de Lago','VI-5-0877',2001,27.40,4,'Manuel Outeiral',NULL,1),(9,'Virxe do Mar','VI-2-0310',1994,19.65,5,'Sabela Rial',NULL,1),(10,'O Bonito','VI-2-0455',2008,21.00,5,'Brais Pazos',NULL,1),(11,'L\'Étoile du Matin','LR 734512',1999,16.35,6,'Loïc Le Cam',NULL,1),(12,'Stella Maris','LR 901233',2013,24.90,6,'Gwenaël Hascoët','Ty Yann',1),(13,'Petit Jules','GV 311870',1984,10.80,7,'Yannick Guivarch',NULL,1),(14,'Kan ar Mor','GV 640021',1996,15.95,7,'Ronan Bescond',NULL,0),(15,'Sæbjörg','ÍS 142',2009,38.70,8,'Ólafur Þórsson',NULL,1),(16,'Guðrún','ÍS 21',1991,11.40,8,'Guðrún Jónsdóttir',NULL,1),(17,'Norðurljós','ÞH 330',2018,56.20,9,'Birna Karlsdóttir',NULL,1),(18,'Hafdís','ÞH 75',1988,17.30,9,'Einar Helgason','Svanur',1),(19,'Morvoren','PZ 104',2002,14.20,10,'Jory Penrose',NULL,1),(20,'Provider','PZ 88',1985,11.95,10,'Tamsin Tregear',NULL,1),(21,'Skipper\'s Delight','PZ 512',2015,19.10,10,'Denzil Hocking',NULL,1),(22,'Lowena','PZ 61',1976,8.60,11,'Piran Chegwin',NULL,1),(23,'Boy Harry','BD 29',1990,13.50,11,'Harry Braund',NULL,0),(24,'Silver Darling','BD 204',2020,26.75,11,'Kate Braund',NULL,1);
/*!40000 ALTER TABLE `vessel` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `vessel_gear`
--

DROP TABLE IF EXISTS `vessel_gear`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!50503 SET character_set_client = utf8mb4 */;
CREATE TABLE `vessel_gear` (
  `vessel_id` int NOT NULL,
  `gear_id` int NOT NULL,
  PRIMARY KEY (`vessel_id`,`gear_id`),
  KEY `fk_vg_gear` (`gear_id`),
  CONSTRAINT `fk_vg_gear` FOREIGN KEY (`gear_id`) REFERENCES `gear` (`id`),
  CONSTRAINT `fk_vg_vessel` FOREIGN KEY (`vessel_id`) REFERENCES `vessel` (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `vessel_gear`
--

LOCK TABLES `vessel_gear` WRITE;
/*!40000 ALTER TABLE `vessel_gear` DISABLE KEYS */;
INSERT INTO `vessel_gear` VALUES (1,1),(2,3),(2,4),(3,2),(4,5),(5,5),(6,3),(7,4),(7,3),(8,1),(9,6),(10,7),(11,1),(11,3),(12,1),(13,5),(13,7),(14,3),(15,4),(16,4),(17,2),(17,6),(18,1),(19,3),(20,5),(21,1),(21,8),(22,7),(23,8),(24,2);
/*!40000 ALTER TABLE `vessel_gear` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `vessel_owner`
--

DROP TABLE IF EXISTS `vessel_owner`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!50503 SET character_set_client = utf8mb4 */;
CREATE TABLE `vessel_owner` (
  `vessel_id` int NOT NULL,
  `owner_id` int NOT NULL,
  PRIMARY KEY (`vessel_id`,`owner_id`),
  KEY `fk_vo_owner` (`owner_id`),
  CONSTRAINT `fk_vo_owner` FOREIGN KEY (`owner_id`) REFERENCES `owner` (`id`),
  CONSTRAINT `fk_vo_vessel` FOREIGN KEY (`vessel_id`) REFERENCES `vessel` (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `vessel_owner`
--

LOCK TABLES `vessel_owner` WRITE;
/*!40000 ALTER TABLE `vessel_owner` DISABLE KEYS */;
INSERT INTO `vessel_owner` VALUES (1,1),(2,1),(3,2),(3,11),(4,2),(5,10),(6,10),(7,3),(8,3),(9,4),(10,4),(11,5),(12,5),(13,12),(14,12),(14,5),(15,7),(16,6),(17,7),(17,11),(18,6),(18,7),(19,9),(20,8),(21,8),(22,8),(22,9),(23,11),(24,11);
/*!40000 ALTER TABLE `vessel_owner` ENABLE KEYS */;
UNLOCK TABLES;

/*!40103 SET TIME_ZONE=@OLD_TIME_ZONE */;

/*!40101 SET SQL_MODE=@OLD_SQL_MODE */;
/*!40014 SET FOREIGN_KEY_CHECKS=@OLD_FOREIGN_KEY_CHECKS */;
/*!40014 SET UNIQUE_CHECKS=@OLD_UNIQUE_CHECKS */;
/*!40101 SET CHARACTER_SET_CLIENT=@OLD_CHARACTER_SET_CLIENT */;
/*!40101 SET CHARACTER_SET_RESULTS=@OLD_CHARACTER_SET_RESULTS */;
/*!40101 SET COLLATION_CONNECTION=@OLD_COLLATION_CONNECTION */;
/*!40111 SET SQL_NOTES=@OLD_SQL_NOTES */;

-- Dump completed on 2024-02-06 14:21:37
