"""The example items of the document, as it writes them, and what they are in DynamoDB JSON."""

import json
from decimal import Decimal
from typing import Any

from boto3.dynamodb.types import TypeSerializer

JOURNEY = """
{
  "PK": "JOURNEY#JRN-ABC123456789",
  "SK": "METADATA",
  "EntityType": "Journey",
  "GSI1PK": "JOURNEYS",
  "GSI1SK": "2025-11-01T20:00:00.000000Z",
  "CreatedAt": "2025-11-01T20:00:00.000000Z",
  "UpdatedAt": "2025-11-01T20:30:00.000000Z",
  "Data": {
    "journeyId": "JRN-ABC123456789",
    "name": "Product Catalog Migration to TMF620",
    "description": "Transform legacy product catalog to TMF620 API standard",
    "status": "running",
    "priority": "high",
    "createdBy": "data_team",
    "odaComponentType": "PRODUCTCATALOG",
    "source": {
      "type": "schema-based",
      "schemaId": "schema-PRODUCTCATALOG-001",
      "schemaName": "Legacy Product Database",
      "schemaVersion": "1.0.0"
    },
    "configuration": {
      "timeout": 1800,
      "maxDepth": 5,
      "tmfSpecVersion": "4.0.0",
      "outputFormat": "json",
      "retryAttempts": 3,
      "enableDetailedLogging": true,
      "validateAtEachStage": true,
      "secondBrainEnabled": true,
      "ruleEngineVersion": "v1.0"
    },
    "currentStageIndex": 2,
    "currentStageId": "tmf_mapping",
    "overallProgress": 45,
    "currentJobs": {
      "raw_analysis": "JOB-456",
      "stripped_schema": "JOB-457"
    },
    "aggregates": {
      "totalJobs": 12,
      "completedJobs": 8,
      "failedJobs": 1,
      "totalExecutionTime": "125m",
      "totalLogs": 1450,
      "totalErrors": 5,
      "totalWarnings": 28,
      "totalRules": 15,
      "activeRules": 12
    }
  }
}
"""

STAGE = """
{
  "PK": "JOURNEY#JRN-ABC123456789",
  "SK": "STAGE#01#raw_analysis",
  "EntityType": "StageDefinition",
  "GSI1PK": "JOURNEY#JRN-ABC123456789#STAGES",
  "GSI1SK": "01",
  "CreatedAt": "2025-11-01T20:00:00.000000Z",
  "UpdatedAt": "2025-11-01T20:00:00.000000Z",
  "Data": {
    "stageId": "raw_analysis",
    "name": "Raw Analysis",
    "description": "Analyze source schema and extract metadata",
    "order": 1,
    "canSkip": false,
    "estimatedDuration": "30m",
    "status": "completed",
    "secondBrainEnabled": true,
    "ruleTypes": ["field_mapping", "data_interpretation"],
    "steps": [
      {
        "stepId": "schema_extraction",
        "name": "Schema Extraction",
        "description": "Extract schema from source database",
        "aiAssisted": true,
        "estimatedDuration": "10m"
      },
      {
        "stepId": "metadata_analysis",
        "name": "Metadata Analysis",
        "description": "Analyze table relationships and constraints",
        "aiAssisted": true,
        "estimatedDuration": "15m"
      },
      {
        "stepId": "data_profiling",
        "name": "Data Profiling",
        "description": "Profile data patterns and quality",
        "aiAssisted": false,
        "estimatedDuration": "5m"
      }
    ]
  }
}
"""

RULE = """
{
  "PK": "JOURNEY#JRN-ABC123456789",
  "SK": "RULE#raw_analysis#001#rule-raw_analysis-field_mapping-a1b2c3d4",
  "EntityType": "SecondBrainRule",
  "GSI1PK": "JOURNEY#JRN-ABC123456789#RULES",
  "GSI1SK": "raw_analysis#high#001",
  "CreatedAt": "2025-11-01T20:00:00.000000Z",
  "UpdatedAt": "2025-11-01T20:00:00.000000Z",
  "Data": {
    "ruleId": "rule-raw_analysis-field_mapping-a1b2c3d4",
    "journeyId": "JRN-ABC123456789",
    "stageId": "raw_analysis",
    "title": "Map Product SKU to TMF Product Code",
    "description": "Transform legacy SKU format to TMF620 product code",
    "type": "field_mapping",
    "priority": "high",
    "scope": "stage",
    "status": "active",
    "context": "Product catalog field mapping during raw analysis",
    "content": "Map 'sku' field to TMF 'productCode' with format validation",
    "metadata": {
      "createdBy": "data_team",
      "version": "1.0",
      "tags": ["raw_analysis", "field_mapping", "high"],
      "applicableStages": ["raw_analysis", "tmf_mapping"],
      "ruleEngine": "second_brain_v1"
    }
  }
}
"""

JOB = """
{
  "PK": "JOURNEY#JRN-ABC123456789",
  "SK": "JOB#01#raw_analysis#001#2025-11-01T20:30:00.000000Z",
  "EntityType": "JobExecution",
  "GSI1PK": "JOB#JOB-456",
  "GSI1SK": "2025-11-01T20:30:00.000000Z",
  "CreatedAt": "2025-11-01T20:30:00.000000Z",
  "UpdatedAt": "2025-11-01T20:32:05.500000Z",
  "Data": {
    "jobId": "JOB-456",
    "journeyId": "JRN-ABC123456789",
    "stageId": "raw_analysis",
    "status": "completed",
    "progress": 100,
    "currentStep": "data_profiling",
    "startTime": "2025-11-01T20:30:00.000000Z",
    "endTime": "2025-11-01T20:32:05.500000Z",
    "duration": 125.5,
    "triggeredBy": "user",
    "executionNumber": 1,
    "configuration": {
      "timeout": 1800,
      "retryAttempts": 3,
      "enableDetailedLogging": true
    },
    "results": {
      "recordsProcessed": 10000,
      "recordsSucceeded": 9998,
      "recordsFailed": 2,
      "tablesAnalyzed": 45,
      "fieldsExtracted": 450
    },
    "metrics": {
      "totalLogs": 145,
      "errorCount": 2,
      "warningCount": 8,
      "infoCount": 120,
      "debugCount": 15
    },
    "errorMessage": null,
    "steps": [
      {
        "stepId": "schema_extraction",
        "status": "completed",
        "startTime": "2025-11-01T20:30:00.000000Z",
        "endTime": "2025-11-01T20:30:45.000000Z",
        "duration": 45.0
      },
      {
        "stepId": "metadata_analysis",
        "status": "completed",
        "startTime": "2025-11-01T20:30:45.000000Z",
        "endTime": "2025-11-01T20:31:50.500000Z",
        "duration": 65.5
      },
      {
        "stepId": "data_profiling",
        "status": "completed",
        "startTime": "2025-11-01T20:31:50.500000Z",
        "endTime": "2025-11-01T20:32:05.500000Z",
        "duration": 15.0
      }
    ]
  }
}
"""

LOG_FILE = """
[
  {
    "jobId": "JOB-456",
    "step_id": "schema_extraction",
    "level": "INFO",
    "message": "Successfully extracted 45 tables from source database",
    "timestamp": "2025-11-01T20:30:15.234567Z",
    "details": {
      "database": "legacy_catalog",
      "tables_extracted": 45,
      "total_fields": 450,
      "duration_seconds": 12.5
    }
  },
  {
    "jobId": "JOB-456",
    "step_id": "schema_extraction",
    "level": "INFO",
    "message": "Analyzing table relationships",
    "timestamp": "2025-11-01T20:30:20.567890Z",
    "details": {
      "foreign_keys_found": 23,
      "indexes_found": 67
    }
  }
]
"""

LOG = """
{
  "PK": "JOURNEY#JRN-ABC123456789",
  "SK": "LOG#JOB-456#schema_extraction#2025-11-01T20:30:15.234567Z#LOG-789",
  "EntityType": "LogEntry",
  "GSI1PK": "JOB#JOB-456",
  "GSI1SK": "2025-11-01T20:30:15.234567Z",
  "CreatedAt": "2025-11-01T20:30:15.234567Z",
  "Data": {
    "jobId": "JOB-456",
    "step": "schema_extraction",
    "level": "info",
    "message": "Successfully extracted 45 tables from source database",
    "timestamp": "2025-11-01T20:30:15.234567Z",
    "source": "schema_analyzer",
    "s3Location": "s3://transformation-journey-logs/journeys/JRN-ABC123456789/stages/raw_analysis/executions/JOB-456/logs/schema_extraction.json",
    "details": {
      "tables_extracted": 45,
      "total_fields": 450
    }
  }
}
"""

REPORT_FILE = """
{
  "reportId": "JOB-456_schema_extraction",
  "reportType": "performance",
  "title": "Schema Extraction Performance Report",
  "summary": "Extracted 45 tables in 45.2 seconds",
  "executionSummary": {
    "stepId": "schema_extraction",
    "jobId": "JOB-456",
    "status": "completed",
    "startTime": "2025-11-01T20:30:00.000000Z",
    "endTime": "2025-11-01T20:30:45.200000Z",
    "duration": 45.2,
    "itemsProcessed": 45
  },
  "performanceMetrics": {
    "throughput": 0.99,
    "tablesPerSecond": 0.99,
    "averageTableProcessingTime": 1.0,
    "errorRate": 0.0,
    "memoryUsage": "256MB",
    "cpuUtilization": "35%"
  },
  "detailedResults": {
    "tablesExtracted": 45,
    "fieldsExtracted": 450,
    "relationshipsIdentified": 23,
    "indexesFound": 67
  },
  "recommendations": [
    "Schema extraction performed well",
    "Consider parallel processing for larger databases",
    "Memory usage is optimal"
  ],
  "generatedAt": "2025-11-01T20:30:45.500000Z"
}
"""

REPORT = """
{
  "PK": "JOURNEY#JRN-ABC123456789",
  "SK": "REPORT#JOB-456#performance#2025-11-01T20:35:00.000000Z#RPT-ABC",
  "EntityType": "JobReport",
  "GSI1PK": "REPORTS#JOB-456",
  "GSI1SK": "2025-11-01T20:35:00.000000Z",
  "CreatedAt": "2025-11-01T20:35:00.000000Z",
  "Data": {
    "reportId": "RPT-ABC",
    "jobId": "JOB-456",
    "reportType": "performance",
    "title": "Performance Analysis Report - Raw Analysis Job",
    "summary": "Job completed in 125.5 seconds with 2 errors",
    "s3Location": "s3://transformation-journey-reports/journeys/JRN-ABC123456789/stages/raw_analysis/executions/JOB-456/reports/schema_extraction.json",
    "generatedAt": "2025-11-01T20:35:00.000000Z",
    "status": "generated",
    "metrics": {
      "contentSize": 2048,
      "generationTime": 0.5,
      "reportSections": 5
    }
  }
}
"""


def parsed(example: str) -> Any:
    return json.loads(example)


def stored(example: str) -> dict[str, Any]:
    """The item as DynamoDB keeps it: 45.0 is the number 45."""
    content = json.loads(example, parse_float=lambda text: Decimal(text).normalize())
    return {name: TypeSerializer().serialize(value) for name, value in content.items()}
