import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, it } from 'vitest'
import { Client } from './client.ts'

/** A market that begins to answer and goes on, byte by byte, for as long as it is listened to. */
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const dribble = setInterval(() => response.write(' '), 20)
  response.on('close', () => clearInterval(dribble))
})
afterAll(() => {
  server.close()
  server.closeAllConnections()
})

it('waits for the end of an answer no longer than its deadline', async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const client = new Client(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`)
  client.deadlineMilliseconds = 200
  await expect(client.call('getMarketKeys')).rejects.toMatchObject({ name: 'TimeoutError' })
})
