import { chmodSync } from 'node:fs'
import { createServer } from 'node:http'
import sharp from 'sharp'
import { afterAll, expect, it } from 'vitest'
import { socketFolder, startRenderer } from './support/renderer.ts'

const socket = socketFolder()
afterAll(() => socket.remove())

const ID = `${'a'.repeat(64)}i0`
const PAGES: Readonly<Record<string, string>> = {
  fetch: `<body style="margin:0;background:#f00"><script>
fetch('/r/blockheight').then((answer) => answer.text()).then(() => { document.body.style.background = '#0f0' })</script>`,
  picture: `<body style="margin:0;background:#f00"><img src="/content/${'b'.repeat(64)}i0" style="position:fixed;inset:0;width:100%;height:100%">`,
}

/** Renders a page whose requests take several seconds. Returns the largest thumbnail. */
async function thumbnailOf(page: string): Promise<Buffer> {
  const green = await sharp({ create: { width: 9, height: 9, channels: 3, background: '#0f0' } })
    .png()
    .toBuffer()
  const left = Promise.withResolvers<Buffer>()
  let isTaken = false
  const market = createServer(async (request, reply) => {
    const answer = (type: string, body: string | Buffer) => reply.setHeader('content-type', type).end(body)
    const json = (value: object) => answer('application/json', JSON.stringify(value))
    const delayed = (work: () => void) => setTimeout(work, 4000)
    if (request.url === '/claims') {
      if (isTaken) return reply.writeHead(204).end()
      isTaken = true
      return json({
        key: '0'.repeat(64),
        inscriptionId: ID,
        kind: 'document',
        contentType: 'text/html',
        origin: 'http://market.test',
      })
    }
    if (request.url === '/cards') return reply.writeHead(404).end()
    if (request.url === `/content/${ID}`) return answer('text/html', page)
    if (request.url === '/r/blockheight') return delayed(() => json({ height: 1 }))
    if (request.url?.startsWith('/content/')) return delayed(() => answer('image/png', green))
    const { thumbnails, reason } = JSON.parse(Buffer.concat(await request.toArray()).toString())
    reply.writeHead(204).end()
    if (reason) return left.reject(new Error(reason))
    left.resolve(
      Buffer.from(thumbnails.find((thumbnail: { size: number }) => thumbnail.size === 1024).webp, 'base64'),
    )
  })
  await new Promise<void>((listening) => market.listen(socket.path, listening))
  chmodSync(socket.path, 0o660)
  const renderer = await startRenderer(socket.path, { PREVIEW_CONCURRENCY: '1' })
  try {
    return await left.promise
  } finally {
    await renderer.stop()
    market.closeAllConnections()
    await new Promise((closed) => market.close(closed))
  }
}

it.each(Object.entries(PAGES))('waits for a %s', async (_, page) => {
  const { dominant } = await sharp(await thumbnailOf(page)).stats()
  expect([dominant.r < 60, dominant.g > 200]).toEqual([true, true])
})
