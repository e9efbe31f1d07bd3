// The AWS SDK for JavaScript: a short life of a table. Prints one line of JSON for the test to read.
import { createRequire } from "node:module";

const require = createRequire(process.env.SORTKEY_NODE_MODULES + "/");
const { DynamoDB, waitUntilTableExists } = require("@aws-sdk/client-dynamodb");

const client = new DynamoDB({ endpoint: process.env.SORTKEY_ENDPOINT, region: "us-east-1" });
const TableName = "javascript";

await client.createTable({
  TableName,
  BillingMode: "PAY_PER_REQUEST",
  AttributeDefinitions: [{ AttributeName: "pk", AttributeType: "S" }],
  KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }],
});
await waitUntilTableExists({ client, maxWaitTime: 20, minDelay: 1, maxDelay: 1 }, { TableName });
await client.putItem({ TableName, Item: { pk: { S: "a" }, b: { B: new Uint8Array([0, 255]) }, n: { N: "1e2" } } });
const { Item } = await client.getItem({ TableName, Key: { pk: { S: "a" } } });

let refused = "";
try {
  await client.putItem({ TableName, Item: { pk: { S: "a" } }, ConditionExpression: "attribute_not_exists(pk)" });
} catch (error) {
  refused = error.name;
}
await client.transactWriteItems({
  TransactItems: [
    { Put: { TableName, Item: { pk: { S: "b" } } } },
    {
      Update: {
        TableName,
        Key: { pk: { S: "a" } },
        UpdateExpression: "ADD n :one",
        ExpressionAttributeValues: { ":one": { N: "1" } },
      },
    },
  ],
});
const { Items, Count } = await client.scan({ TableName });
await client.deleteTable({ TableName });

const n = Items.find((each) => each.pk.S === "a").n.N;
console.log(JSON.stringify({ bytes: [...Item.b.B], before: Item.n.N, refused, count: Count, after: n }));
