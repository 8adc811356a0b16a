import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, expect, it } from 'vitest'
import { freshWallet, setUpMarket, until } from '../support/market.ts'
import { importCollection, settled } from './support/collection.ts'
import { plain } from './support/pieces.ts'
import { socketFolder, startRenderer, type TestRenderer } from './support/renderer.ts'

const socket = socketFolder()
const market = setUpMarket({ PREVIEW_SOCKET: socket.path })
let renderer: TestRenderer
afterAll(async () => {
  await renderer?.stop()
  socket.remove()
})

/** Returns the command lines of the renderer's child processes: decoders and browsers. */
const children = (): string[] =>
  readdirSync('/proc').flatMap((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
      const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return Number(parent) === renderer.process.pid ? [readFileSync(`/proc/${pid}/cmdline`, 'latin1')] : []
    } catch {
      return []
    }
  })

async function renderOneOfEach(colour: string): Promise<void> {
  const { ids } = await importCollection(market, freshWallet(), [
    { contentType: 'image/png', body: await plain(80, 80, colour).png().toBuffer() },
    { contentType: 'text/html', body: `<body style="background:${colour}">` },
  ])
  const states = await settled(market, ids)
  for (const id of ids) {
    expect(states.get(id)).toMatchObject({ state: 'done', attempts: 1 })
    const thumbnail = await fetch(`${market.server.url}/preview/${id}/384`)
    expect(thumbnail.headers.get('content-type')).toBe('image/webp')
  }
}

it('ends idle decoders and browsers, and starts them for the next item', async () => {
  renderer = await startRenderer(socket.path, { tuning: { previewIdleMilliseconds: 3000 } })
  for (const colour of ['#ff8000', '#3355aa']) {
    const seen = new Set<string>()
    const watch = setInterval(() => {
      for (const command of children()) seen.add(command)
    }, 200)
    await renderOneOfEach(colour)
    clearInterval(watch)
    expect([...seen].some((command) => command.includes('raster/worker'))).toBe(true)
    expect([...seen].some((command) => command.includes('--remote-debugging-pipe'))).toBe(true)
    await until('the processes to end', async () => children().length === 0)
  }
})
