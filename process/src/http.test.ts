import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { bytesOf, fetchRaw, splitCredentials, TooLarge, textOf } from './http.ts'

it.each([
  ['http://a%40b:p%3Aq@host:1/path', 'http://host:1/path', `Basic ${btoa('a@b:p:q')}`],
  ['http://user@host/', 'http://host/', `Basic ${btoa('user:')}`],
  ['http://host/', 'http://host/', null],
])('splitCredentials splits %s', (url, bare, authorization) => {
  expect(splitCredentials(url)).toEqual({ url: new URL(bare), authorization })
})

it('textOf limits the bytes of a body', async () => {
  expect(await textOf(new Response('äb'), 3)).toBe('äb')
  await expect(textOf(new Response('äb'), 2)).rejects.toThrow(TooLarge)
  expect(await textOf(new Response(null), 0)).toBe('')
})

it('fetchRaw leaves a body encoded, and accepts a response without body', async () => {
  const encoded = gzipSync('ab')
  const server = createServer(async (request, response) => {
    const posted = Buffer.concat(await Array.fromAsync(request)).toString()
    if (posted) response.writeHead(Number(posted)).end()
    else response.writeHead(200, { 'content-encoding': 'gzip' }).end(encoded)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const options = { headers: {}, signal: new AbortController().signal }
  try {
    const { status, headers, body } = await fetchRaw(url, options)
    expect([status, headers['content-encoding']]).toEqual([200, 'gzip'])
    expect(await bytesOf(body, 100)).toEqual(encoded)
    for (const code of [204, 205, 304]) {
      const empty = await fetchRaw(url, { ...options, method: 'POST', body: String(code) })
      expect([empty.status, await textOf(empty, 1)]).toEqual([code, ''])
    }
  } finally {
    server.closeAllConnections()
    server.close()
  }
})
