import { randomBytes } from 'node:crypto'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import sharp from 'sharp'
import type { Piece } from './collection.ts'

export const plain = (width: number, height: number, background: string) =>
  sharp({ create: { width, height, channels: 3, background } })

/** Creates an image with soft shapes and grain that compresses like a photograph. */
async function photograph(width: number, height: number, format: 'jpeg' | 'png' | 'webp' | 'avif') {
  const coarse = await sharp(randomBytes(16 * 16 * 3), { raw: { width: 16, height: 16, channels: 3 } })
    .resize(width, height, { fit: 'fill', kernel: 'cubic' })
    .png()
    .toBuffer()
  return sharp(coarse).toFormat(format).toBuffer()
}

function tone(): Buffer {
  const rate = 8000
  const samples = Buffer.alloc(2 * rate * 2)
  for (let n = 0; n < 2 * rate; n++) samples.writeInt16LE(Math.round(Math.sin(n / 5) * 12_000), 2 * n)
  const head = Buffer.alloc(44)
  head.write('RIFF')
  head.writeUInt32LE(36 + samples.length, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(rate * 2, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(samples.length, 40)
  return Buffer.concat([head, samples])
}

/** One second of WebM, 64 by 64 pixels: black, then blue. */
const VIDEO = [
  'GkXfo59ChoEBQveBAULygQRC84EIQoKEd2VibUKHgQRChYECGFOAZwEAAAAAAAP1EU2bdLlNu4tTq4QVSalmU6yBbk27i1OrhBZU',
  'rmtTrIGTTbuLU6uEH0O2dVOsgdRNu4xTq4QcU7trU6yCA+PsrgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  'AAAAAAAAAAAVSalmoCrXsYMPQkBEiYREZnrBTYCGQ2hyb21lV0GGQ2hyb21lFlSua7yuuteBAXPFhw/hjLLoDleDgQFV7oEBhoVW',
  'X1ZQOOCdsIFAuoFAU8CBAVWwkFWxgQFVuYECVbqBDVW7gQEfQ7Z1AQAAAAAAAwPngQCg2qGpgQAAAPACAJ0BKkAAQAAJBwiFhYiZ',
  'hIgwggAGcDxCYAqyIPcwAP7uoEB1oaymqu6BAaWl8AIAnQEqQABAAAqHCIWFiJmEiDgCAAZwPEJgCrIg9zAA/uuuAKC3oZaBAGsA',
  '0QEAJBFwABgAGFgv9AAIjoAAdaGZppfugQGlktEBACoRwAAYABhYL/QACI6AAPuBAKC3oZaBANQA0QEAJBEcABgAGFgv9AAIjoAA',
  'daGZppfugQGlktEBACoRwAAYABhYL/QACI6AAPuBa6C3oZaBATwA0QEAJBD4ABgAGFgv9AAIjoAAdaGZppfugQGlktEBACoRwAAY',
  'ABhYL/QACI6AAPuB1KBAw6FAoIEBoQDxBQAkENwAGGWC+Af0BzgnYH9AcX0mdEmgf4D+QH8B9wmgfwH8AfwHN+zJm8nNgBEhAP71',
  'ff/ZjkW/8hmqzXZ0FYJzM12dBWCczNdnQVgnMzXZ2NYIWMf/KY5FN7csWVHm4N1WTBmKJqEssiXs0p4Kkdoq82LYSFBZKD1bcTBT',
  'Y8JwOe8fYtWaFO0HQJ9H+C05+Keqoy2mNYX5fQB1oZmml+6BAaWS0QEAKhHAABgAGFgv9AAIjoAA+4IBPKC4oZaBAggA0QEAJBDs',
  'ABgAGFgv9AAIjoAAdaGZppfugQGlktEBACoRrAAYABhYL/QACI6AAPuCAaGgyaGngQJsAFECACQQzAAYDYQX/D4OuK68UAES0I+v',
  'CHWaYHsSSdN4FmwAdaGZppfugQGlktEBACoRmAAYABhYL/QACI6AAPuCAgiguKGWgQLRANEBACQQuBRgAGFgv9AAIjoAAHWhmaaX',
  '7oEBpZLRAQAqEVQUYABhYL/QACI6AAD7ggJsoLihloEDNQDRAQAkELgAGAAYWC/0AAiOgAB1oZmml+6BAaWS0QEAKhGQABgAGFgv',
  '9AAIjoAA+4IC0aC4oZaBA5kA0QEAJBCQABgAGFgv9AAIjoAAdaGZppfugQGlktEBACoRfAAYABhYL/QACI6AAPuCAzUcU7trjbuL',
  's4EAt4b3gQHxgdQ=',
].join('')

/** Turns green if a recursive request succeeds. */
const RECURSIVE = `<!doctype html><body style="margin:0;background:red"><script>
fetch('/r/blockheight').then((answer) => answer.json()).then((height) => {
  if (height > 0) document.body.style.background = '#00ff00'
})</script>`

/** Creates a BMP, which only the browser can decode. */
function bitmap(): Buffer {
  const head = Buffer.from(
    'Qk1mAAAAAAAAADYAAAAoAAAABAAAAAQAAAABABgAAAAAADAAAAATCwAAEwsAAAAAAAAAAAAA',
    'base64',
  )
  return Buffer.concat([head, ...Array<Buffer>(16).fill(Buffer.from([0, 0, 255]))])
}

/** Creates a red tetrahedron as binary glTF. Lighting makes it slightly brighter. */
function tetrahedron(): Buffer {
  const corners = Buffer.from(new Float32Array([-1, -1, 1, 1, 1, 1, 1, -1, -1, -1, 1, -1]).buffer)
  const order = Buffer.from(new Uint16Array([0, 1, 2, 0, 2, 3, 0, 3, 1, 1, 3, 2]).buffer)
  const material = {
    pbrMetallicRoughness: { baseColorFactor: [1, 0, 0, 1], metallicFactor: 0 },
    emissiveFactor: [1, 0, 0],
    doubleSided: true,
  }
  const json = JSON.stringify({
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1, material: 0 }] }],
    materials: [material],
    accessors: [
      { bufferView: 0, componentType: 5126, count: 4, type: 'VEC3', min: [-1, -1, -1], max: [1, 1, 1] },
      { bufferView: 1, componentType: 5123, count: 12, type: 'SCALAR' },
    ],
    bufferViews: [
      { buffer: 0, byteOffset: 0, byteLength: corners.length },
      { buffer: 0, byteOffset: corners.length, byteLength: order.length },
    ],
    buffers: [{ byteLength: corners.length + order.length }],
  })
  const text = Buffer.from(json.padEnd(Math.ceil(json.length / 4) * 4))
  const bytes = Buffer.concat([corners, order])
  const words = (...values: number[]) => Buffer.from(new Uint32Array(values).buffer)
  return Buffer.concat([
    words(0x46546c67, 2, 28 + text.length + bytes.length),
    words(text.length, 0x4e4f534a),
    text,
    words(bytes.length, 0x004e4942),
    bytes,
  ])
}

/** Returns content of every kind, with the centre colour of its thumbnail if known. */
export async function everyKind(): Promise<Record<string, Piece & { colour?: string }>> {
  return {
    'a PNG': {
      contentType: 'image/png',
      body: await plain(700, 400, '#ff8000').png().toBuffer(),
      colour: '#ff8000',
    },
    'a JPEG of 12 megapixels': { contentType: 'image/jpeg', body: await photograph(4000, 3000, 'jpeg') },
    'a WebP': { contentType: 'image/webp', body: await photograph(900, 900, 'webp') },
    'an AVIF': { contentType: 'image/avif', body: await photograph(500, 500, 'avif') },
    'pixel art': {
      contentType: 'image/png',
      body: await plain(24, 24, '#3355aa').png().toBuffer(),
      colour: '#3355aa',
    },
    'an animated GIF': {
      contentType: 'image/gif',
      body: await sharp(Buffer.concat([Buffer.alloc(64 * 64 * 3, 200), Buffer.alloc(64 * 64 * 3, 20)]), {
        raw: { width: 64, height: 128, channels: 3, pageHeight: 64 },
      })
        .gif({ delay: [100, 100], loop: 0 })
        .toBuffer(),
      colour: '#c8c8c8',
    },
    'a JPEG that says PNG': {
      contentType: 'image/png',
      body: await plain(300, 300, '#228844').jpeg().toBuffer(),
      colour: '#228844',
    },
    'a bitmap': { contentType: 'image/bmp', body: bitmap(), colour: '#ff0000' },
    'a text': { contentType: 'text/plain;charset=utf-8', body: 'hodl.sats' },
    'a JSON': {
      contentType: 'application/json',
      body: '{"p":"brc-20","op":"mint","tick":"ordi","amt":"1000"}',
    },
    'a long text': { contentType: 'text/markdown', body: 'Lorem ipsum dolor sit amet. '.repeat(20_000) },
    'a text in brotli': {
      contentType: 'text/plain',
      contentEncoding: 'br',
      body: brotliCompressSync('packed\n'.repeat(20)),
    },
    'HTML in gzip': {
      contentType: 'text/html',
      contentEncoding: 'gzip',
      body: gzipSync('<body style="background:#0000ff">'),
      colour: '#0000ff',
    },
    'recursive HTML': { contentType: 'text/html;charset=utf-8', body: RECURSIVE, colour: '#00ff00' },
    'an SVG': {
      contentType: 'image/svg+xml',
      body: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><circle cx="5" cy="5" r="4" fill="#008080"/></svg>',
      colour: '#008080',
    },
    'an SVG of a fixed size': {
      contentType: 'image/svg+xml',
      body: '<svg xmlns="http://www.w3.org/2000/svg" width="100" height="50"><rect width="100" height="50" fill="#aa00aa"/></svg>',
      colour: '#aa00aa',
    },
    'a video': { contentType: 'video/webm', body: Buffer.from(VIDEO, 'base64'), colour: '#00a0ff' },
    'a sound': { contentType: 'audio/wav', body: tone() },
    'a solid body': { contentType: 'model/gltf-binary', body: tetrahedron(), colour: '#ff1515' },
  }
}
