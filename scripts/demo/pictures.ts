import { deflateSync } from 'node:zlib'

/** Returns a deterministic random generator, so that each number always gives the same work. */
export function randomOf(seed: number): () => number {
  let state = (seed * 2654435761) >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

export const pick = <T>(choices: readonly T[], random: () => number): T =>
  choices[Math.floor(random() * choices.length)]!

export interface DemoItem {
  name: string
  contentType: string
  body: Uint8Array
  traits: { trait_type: string; value: string }[]
}

const GLOWS = {
  amber: [255, 183, 77],
  coral: [255, 112, 97],
  mint: [110, 231, 183],
  ice: [147, 197, 253],
} as const
const NIGHTS = { ink: [17, 24, 39], plum: [46, 16, 52], pine: [6, 40, 34] } as const

/** Draws a harbour lamp in 24 x 24 pixels, PNG. */
export function harbourLamp(number: number): DemoItem {
  const random = randomOf(number)
  const glow = pick(Object.keys(GLOWS) as (keyof typeof GLOWS)[], random)
  const night = pick(Object.keys(NIGHTS) as (keyof typeof NIGHTS)[], random)
  const panes = pick(['one pane', 'two panes', 'four panes'], random)
  const size = 24
  const pixels = new Uint8Array(size * size * 3)
  const put = (x: number, y: number, colour: readonly number[]) => pixels.set(colour, (y * size + x) * 3)
  for (let y = 0; y < size; y++)
    for (let x = 0; x < size; x++) {
      const light = Math.max(0, 1 - Math.hypot(x - 11.5, y - 10) / 12)
      put(
        x,
        y,
        NIGHTS[night].map((channel, i) => Math.round(channel + (GLOWS[glow][i]! - channel) * light * 0.6)),
      )
      if (random() < 0.02) put(x, y, [226, 232, 240])
    }
  const iron = [30, 30, 36]
  for (let y = 5; y <= 16; y++)
    for (let x = 8; x <= 15; x++) {
      const frame = x === 8 || x === 15 || y === 5 || y === 16
      const bar = (panes !== 'one pane' && x === 11) || (panes === 'four panes' && y === 10)
      put(x, y, frame || bar ? iron : GLOWS[glow])
    }
  for (let x = 9; x <= 14; x++) put(x, 4, iron)
  for (let x = 10; x <= 13; x++) put(x, 3, iron)
  for (let y = 17; y < size; y++) for (const x of [11, 12]) put(x, y, iron)
  return {
    name: `Harbour Lamp #${number}`,
    contentType: 'image/png',
    body: png(size, pixels),
    traits: [
      { trait_type: 'Glow', value: glow },
      { trait_type: 'Night', value: night },
      { trait_type: 'Panes', value: panes },
    ],
  }
}

/** Draws a rope's path over a chart, SVG. */
export function knotChart(number: number): DemoItem {
  const random = randomOf(1000 + number)
  const [rope, colour] = pick(
    [
      ['hemp', '#b45309'],
      ['tarred', '#1f2937'],
      ['dyed', '#0f766e'],
    ] as const,
    random,
  )
  const turns = 2 + Math.floor(random() * 4)
  const points = Array.from({ length: turns * 24 + 1 }, (_, i) => {
    const t = (i / 24) * Math.PI
    const radius = 34 + 10 * Math.sin(t * (turns + 1))
    return `${(50 + radius * Math.cos(t)).toFixed(1)},${(50 + radius * Math.sin((t * turns) / (turns + 1))).toFixed(1)}`
  })
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><rect width="100" height="100" fill="#fef3c7"/><path d="M0 25h100M0 50h100M0 75h100M25 0v100M50 0v100M75 0v100" stroke="#d6d3d1" stroke-width=".4"/><polyline points="${points.join(' ')}" fill="none" stroke="${colour}" stroke-width="3.4" stroke-linejoin="round"/></svg>`
  return {
    name: `Knot Chart #${number}`,
    contentType: 'image/svg+xml',
    body: new TextEncoder().encode(svg),
    traits: [
      { trait_type: 'Rope', value: rope },
      { trait_type: 'Turns', value: String(turns) },
    ],
  }
}

/** Writes a day's tides, plain text. */
export function tideTable(number: number): DemoItem {
  const random = randomOf(2000 + number)
  const range = pick(['neap', 'mean', 'spring'], random)
  const high = { neap: 2.1, mean: 3.0, spring: 4.2 }[range]!
  const first = Math.floor(random() * 360)
  const lines = [0, 1, 2, 3].map((tide) => {
    const minutes = (first + tide * 372) % 1440
    const time = `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
    const metres = tide % 2 === 0 ? high + random() * 0.3 : 0.4 + random() * 0.3
    return `${time}  ${tide % 2 === 0 ? 'high' : 'low '}  ${metres.toFixed(1)} m`
  })
  return {
    name: `Tide Table #${number}`,
    contentType: 'text/plain;charset=utf-8',
    body: new TextEncoder().encode(`TIDE TABLE ${number}\n${range} tides\n\n${lines.join('\n')}\n`),
    traits: [{ trait_type: 'Range', value: range }],
  }
}

const WEATHERS = {
  clear: [
    [12, 20, 48],
    [64, 96, 150],
  ],
  dusk: [
    [40, 18, 62],
    [244, 134, 96],
  ],
  fog: [
    [92, 104, 116],
    [196, 204, 208],
  ],
} as const

/** Draws a view over the sea at night, 384 x 384 pixels, PNG. */
export function nightWatch(number: number): DemoItem {
  const random = randomOf(3000 + number)
  const weather = pick(Object.keys(WEATHERS) as (keyof typeof WEATHERS)[], random)
  const moon = pick(['none', 'new', 'half', 'full'], random)
  const [high, low] = WEATHERS[weather]
  const size = 384
  const horizon = Math.round(size * (0.55 + random() * 0.2))
  const [moonX, moonY] = [size * (0.2 + random() * 0.6), size * (0.15 + random() * 0.2)]
  const phases = [random(), random(), random()].map((each) => each * 6.28)
  const pixels = new Uint8Array(size * size * 3)
  for (let y = 0; y < size; y++)
    for (let x = 0; x < size; x++) {
      const above = y < horizon
      const depth = above ? y / horizon : 1 - (y - horizon) / (size - horizon)
      const wave = phases.reduce(
        (sum, phase, n) => sum + Math.sin((y - horizon) * (0.9 - n * 0.2) + x * 0.02 * (n + 1) + phase),
        0,
      )
      const distance = Math.hypot(x - moonX, y - moonY)
      const lit =
        moon === 'none'
          ? 0
          : distance < 26 && (moon !== 'half' || x > moonX) && moon !== 'new'
            ? 0.95
            : 0.25 * Math.exp(-distance / 60)
      const glitter =
        !above && moon !== 'none' && Math.abs(x - moonX) < 14 + (y - horizon) / 6 && wave > 1.2 ? 0.5 : 0
      for (const channel of [0, 1, 2]) {
        const base = high[channel]! + (low[channel]! - high[channel]!) * depth ** 1.6
        const sea = above ? base : base * 0.55 + wave * 5
        const light = Math.max(lit, glitter)
        pixels[(y * size + x) * 3 + channel] = Math.max(
          0,
          Math.min(255, Math.round(sea + (244 - sea) * light)),
        )
      }
    }
  return {
    name: `Night Watch #${number}`,
    contentType: 'image/png',
    body: png(size, pixels),
    traits: [
      { trait_type: 'Weather', value: weather },
      { trait_type: 'Moon', value: moon },
    ],
  }
}

const CRC = Array.from({ length: 256 }, (_, n) => {
  let c = n
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1
  return c >>> 0
})

function png(size: number, pixels: Uint8Array): Uint8Array {
  const chunk = (type: string, data: Uint8Array) => {
    const body = Buffer.concat([Buffer.from(type), data])
    let crc = 0xffffffff
    for (const byte of body) crc = CRC[(crc ^ byte) & 0xff]! ^ (crc >>> 8)
    const head = Buffer.alloc(4)
    head.writeUInt32BE(data.length)
    const tail = Buffer.alloc(4)
    tail.writeUInt32BE((crc ^ 0xffffffff) >>> 0)
    return Buffer.concat([head, body, tail])
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const rows = Buffer.alloc(size * (size * 3 + 1))
  for (let y = 0; y < size; y++)
    rows.set(pixels.subarray(y * size * 3, (y + 1) * size * 3), y * (size * 3 + 1) + 1)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', new Uint8Array()),
  ])
}
