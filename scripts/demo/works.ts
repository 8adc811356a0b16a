import { type DemoItem, pick, randomOf } from './pictures.ts'

const COLOURS = ['#e63946', '#f4a261', '#2a9d8f', '#1d3557', '#f1faee', '#111827'] as const

/** Draws a waving flag, HTML with a canvas. */
export function signalFlag(number: number): DemoItem {
  const random = randomOf(4000 + number)
  const pattern = pick(['halves', 'quarters', 'cross', 'border', 'stripes'], random)
  const first = pick(COLOURS, random)
  const second = pick(
    COLOURS.filter((each) => each !== first),
    random,
  )
  const wind = pick(['breeze', 'gale'], random)
  const fields = {
    halves: 'u<.5',
    quarters: '(u<.5)==(v<.5)',
    cross: 'Math.abs(u-.5)<.12||Math.abs(v-.5)<.12',
    border: 'u<.18||u>.82||v<.18||v>.82',
    stripes: 'Math.floor(v*5)%2',
  }[pattern]!
  const page = `<!doctype html><meta charset=utf-8><title>Signal Flag ${number}</title><style>html,body{margin:0;height:100%;background:#0b1220}canvas{width:100%;height:100%;object-fit:contain;display:block}</style><canvas width=96 height=96></canvas><script>
const c=document.querySelector('canvas').getContext('2d'),s=${wind === 'gale' ? 9 : 4}
function draw(t){c.fillStyle='#0b1220';c.fillRect(0,0,96,96);c.fillStyle='#9ca3af';c.fillRect(10,6,3,88)
for(let x=0;x<70;x++){const y=14+Math.sin(x/11-t*s)*x/14;for(let i=0;i<48;i++){const u=x/70,v=i/48;c.fillStyle=${fields}?'${first}':'${second}';c.fillRect(13+x,y+i,1,1)}}
requestAnimationFrame(m=>draw(m/1000))}
draw(0)</script>`
  return {
    name: `Signal Flag #${number}`,
    contentType: 'text/html;charset=utf-8',
    body: new TextEncoder().encode(page),
    traits: [
      { trait_type: 'Pattern', value: pattern },
      { trait_type: 'Wind', value: wind },
    ],
  }
}

/** Synthesizes a fog horn: 1.5 seconds at 8,000 samples per second, WAV. */
export function fogHorn(number: number): DemoItem {
  const random = randomOf(5000 + number)
  const voice = pick(['low', 'middle', 'high'], random)
  const calls = 1 + Math.floor(random() * 3)
  const pitch = { low: 74, middle: 110, high: 147 }[voice]!
  const rate = 8000
  const samples = Buffer.alloc(rate * 1.5)
  for (let n = 0; n < samples.length; n++) {
    const t = n / rate
    const within = ((t / 1.5) * calls) % 1
    const loudness = within < 0.75 ? Math.sin((within / 0.75) * Math.PI) ** 0.5 : 0
    const tone = [1, 2, 3].reduce((sum, k) => sum + Math.sin(2 * Math.PI * pitch * k * t) / k, 0)
    samples[n] = Math.round(128 + 60 * loudness * tone)
  }
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + samples.length, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(rate, 28)
  head.writeUInt16LE(1, 32)
  head.writeUInt16LE(8, 34)
  head.write('data', 36)
  head.writeUInt32LE(samples.length, 40)
  return {
    name: `Fog Horn #${number}`,
    contentType: 'audio/wav',
    body: Buffer.concat([head, samples]),
    traits: [
      { trait_type: 'Voice', value: voice },
      { trait_type: 'Calls', value: String(calls) },
    ],
  }
}

const PAINTS = { red: [0.85, 0.16, 0.16], green: [0.1, 0.6, 0.35], yellow: [0.95, 0.77, 0.06] } as const

/** Models a buoy as a solid of revolution, binary glTF 2.0. */
export function buoy(number: number): DemoItem {
  const random = randomOf(6000 + number)
  const paint = pick(Object.keys(PAINTS) as (keyof typeof PAINTS)[], random)
  const shape = pick(['cone', 'can', 'sphere'], random)
  const rings = 14
  const sides = 24
  const radiusAt = {
    cone: (h: number) => (h < 0.3 ? 0.55 : 0.55 * (1 - (h - 0.3) / 0.7) + 0.03),
    can: (h: number) => (h < 0.3 ? 0.6 : 0.32),
    sphere: (h: number) => Math.max(0.03, 0.6 * Math.sin(Math.PI * Math.min(0.98, h + 0.05))),
  }[shape]!
  const positions: number[] = []
  const colours: number[] = []
  const indices: number[] = []
  for (let ring = 0; ring <= rings; ring++)
    for (let side = 0; side <= sides; side++) {
      const [h, angle] = [ring / rings, (side / sides) * 2 * Math.PI]
      positions.push(radiusAt(h) * Math.cos(angle), h * 1.6 - 0.8, radiusAt(h) * Math.sin(angle))
      colours.push(...(ring % 5 === 4 ? [0.95, 0.95, 0.95] : PAINTS[paint]))
      if (ring === rings || side === sides) continue
      const at = ring * (sides + 1) + side
      indices.push(at, at + sides + 1, at + 1, at + 1, at + sides + 1, at + sides + 2)
    }
  return {
    name: `Buoy #${number}`,
    contentType: 'model/gltf-binary',
    body: glb(new Float32Array(positions), new Float32Array(colours), new Uint16Array(indices)),
    traits: [
      { trait_type: 'Paint', value: paint },
      { trait_type: 'Shape', value: shape },
    ],
  }
}

/** Encodes one mesh with vertex colours (glTF 2.0, sections 4 and 5). */
function glb(positions: Float32Array, colours: Float32Array, indices: Uint16Array): Uint8Array {
  const parts = [positions, colours, indices].map((each) => Buffer.from(each.buffer))
  const offsets = [0, parts[0]!.length, parts[0]!.length + parts[1]!.length]
  const corners = positions.length / 3
  const extreme = (of: (...values: number[]) => number) =>
    [0, 1, 2].map((axis) => of(...positions.filter((_, n) => n % 3 === axis)))
  const json = {
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    materials: [{ doubleSided: true, pbrMetallicRoughness: { metallicFactor: 0, roughnessFactor: 0.8 } }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0, COLOR_0: 1 }, indices: 2, material: 0 }] }],
    accessors: [
      {
        bufferView: 0,
        componentType: 5126,
        count: corners,
        type: 'VEC3',
        min: extreme(Math.min),
        max: extreme(Math.max),
      },
      { bufferView: 1, componentType: 5126, count: corners, type: 'VEC3' },
      { bufferView: 2, componentType: 5123, count: indices.length, type: 'SCALAR' },
    ],
    bufferViews: parts.map((part, n) => ({
      buffer: 0,
      byteOffset: offsets[n],
      byteLength: part.length,
      target: n === 2 ? 34963 : 34962,
    })),
    buffers: [{ byteLength: parts.reduce((sum, part) => sum + part.length, 0) }],
  }
  const chunk = (type: string, content: Buffer, filler: string) => {
    const padded = Buffer.concat([content, Buffer.alloc((4 - (content.length % 4)) % 4, filler)])
    const head = Buffer.alloc(8)
    head.writeUInt32LE(padded.length, 0)
    head.write(type, 4, 'latin1')
    return Buffer.concat([head, padded])
  }
  const chunks = [
    chunk('JSON', Buffer.from(JSON.stringify(json)), ' '),
    chunk('BIN\0', Buffer.concat(parts), '\0'),
  ]
  const head = Buffer.alloc(12)
  head.write('glTF', 0)
  head.writeUInt32LE(2, 4)
  head.writeUInt32LE(12 + chunks.reduce((sum, each) => sum + each.length, 0), 8)
  return Buffer.concat([head, ...chunks])
}
