// Runs a query, the text on standard input, in DuckDB, from the folder of npm packages that the last
// argument names, and prints its rows as JSON.
const api = require(require.resolve('@duckdb/node-api', { paths: [process.argv.at(-1)] }))
const query = require('node:fs').readFileSync(0, 'utf8')

async function main() {
  const instance = await api.DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const reader = await connection.runAndReadAll(query)
  console.log(JSON.stringify(reader.getRowsJson()))
}

main().catch((err) => {
  console.error(err.message)
  process.exit(1)
})
