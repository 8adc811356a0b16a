import { createServer } from 'node:http'
import { Client } from '@ordbook/sdk'

// Calls a server that does not respond, while the garbage collector runs.
const server = createServer(() => {}).listen(0, '127.0.0.1', async () => {
  const options = { deadlineMilliseconds: 1000, signal: new AbortController().signal }
  const client = new Client(`http://127.0.0.1:${server.address().port}`, options)
  const collecting = setInterval(() => globalThis.gc(), 50)
  await client.call('getStatus').catch((error) => console.log(error.name))
  clearInterval(collecting)
  server.close()
  server.closeAllConnections()
})
