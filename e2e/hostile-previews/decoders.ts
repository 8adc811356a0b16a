import { brotliCompressSync, crc32, deflateSync, gzipSync } from 'node:zlib'
import type { Piece } from '../previews/support/collection.ts'
import { type Attack, html } from './attack.ts'

/** Builds a PNG with valid checksums. `head` is width, height, depth and colour type. */
function png(
  head: readonly [number, number, number, number],
  parts: readonly (readonly [string, Buffer])[],
): Buffer {
  const ihdr = Buffer.alloc(13)
  ihdr.writeUInt32BE(head[0], 0)
  ihdr.writeUInt32BE(head[1], 4)
  ihdr.set([head[2], head[3]], 8)
  const chunks = [['IHDR', ihdr] as const, ...parts, ['IEND', Buffer.alloc(0)] as const].map(
    ([name, body]) => {
      const typeAndBody = Buffer.concat([Buffer.from(name, 'latin1'), body])
      const around = Buffer.alloc(8)
      around.writeUInt32BE(body.length, 0)
      around.writeUInt32BE(crc32(typeAndBody), 4)
      return Buffer.concat([around.subarray(0, 4), typeAndBody, around.subarray(4)])
    },
  )
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...chunks])
}

/** A GIF with frames of one pixel, regardless of the declared size. */
function gif(width: number, height: number, { frames, side = 1 }: { frames: number; side?: number }): Buffer {
  const head = Buffer.from('4749463839610000000080000000ff00ffffff', 'hex')
  head.writeUInt16LE(width, 6)
  head.writeUInt16LE(height, 8)
  const frame = Buffer.from('21f90404010000002c0000000001000100000202440100', 'hex')
  frame.writeUInt16LE(side, 13)
  frame.writeUInt16LE(side, 15)
  return Buffer.concat([head, ...Array<Buffer>(frames).fill(frame), Buffer.from(';')])
}

function wav({ channels, rate, length }: { channels: number; rate: number; length: number }): Buffer {
  const head = Buffer.alloc(44)
  head.write('RIFF\xff\xff\xff\xffWAVEfmt ', 'latin1')
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(channels, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(length, 40)
  return Buffer.concat([head, Buffer.alloc(2000, 7)])
}

const jpegHead = (width: number, height: number) => {
  const head = Buffer.from('ffd8ffc2001108000000000301220002110103110100ffda000c03010002110311003f00', 'hex')
  head.writeUInt16BE(height, 7)
  head.writeUInt16BE(width, 9)
  return Buffer.concat([head, Buffer.alloc(5000, 0x5a)])
}

/** A binary glTF that declares more bytes than it has. */
const glb = (json: string, says: number) => {
  const body = Buffer.from(json)
  const head = Buffer.from('676c5446020000000000000000000000', 'hex')
  head.writeUInt32LE(says, 8)
  head.writeUInt32LE(says, 12)
  return Buffer.concat([head, Buffer.from('JSON'), body])
}

const attack = (
  name: string,
  end: Attack['end'],
  contentType: string,
  body: string | Buffer,
  contentEncoding?: string,
): Attack => ({
  name,
  end,
  piece: (): Piece => ({ contentType, body, ...(contentEncoding ? { contentEncoding } : {}) }),
})

const zeros = (bytes: number) => deflateSync(Buffer.alloc(bytes), { level: 9 })
const GREEN_PAGE = '<body style="background:#00ff00">'

/** Malformed media, and small files that decode to huge ones. */
export const decoders: readonly Attack[] = [
  attack(
    'PNG of 10^10 pixels',
    'fails',
    'image/png',
    png([100_000, 100_000, 8, 6], [['IDAT', zeros(100_000)]]),
  ),
  attack(
    'gzip that expands a thousandfold',
    'fails',
    'text/plain',
    gzipSync(Buffer.alloc(200 * 2 ** 20, 'a')),
    'gzip',
  ),
  attack('GIF of 10,000 frames', 'ends', 'image/gif', gif(2000, 2000, { frames: 10_000 })),
  attack('HTML declared as PNG', 'fails', 'image/png', '<html><script>alert(1)</script>'),
  attack(
    'GLB with wrong lengths',
    'fails',
    'model/gltf-binary',
    glb('{"asset":{"version":"2.0"}}', 4_000_000_000),
  ),
  attack(
    'PNG that expands to 400 MB',
    'fails',
    'image/png',
    png([20_000, 5_001, 8, 6], [['IDAT', zeros(20_000_000)]]),
  ),
  attack(
    'PNG with a compressed profile bomb',
    'ends',
    'image/png',
    png(
      [2, 2, 8, 2],
      [
        ['iCCP', Buffer.concat([Buffer.from('x\0\0'), zeros(100 * 2 ** 20)])],
        ['IDAT', deflateSync(Buffer.alloc(14))],
      ],
    ),
  ),
  attack(
    'PNG with a compressed text bomb',
    'ends',
    'image/png',
    png(
      [2, 2, 8, 2],
      [
        ['zTXt', Buffer.concat([Buffer.from('x\0\0'), zeros(100 * 2 ** 20)])],
        ['IDAT', deflateSync(Buffer.alloc(14))],
      ],
    ),
  ),
  attack(
    'truncated PNG',
    'ends',
    'image/png',
    png([3000, 3000, 8, 2], [['IDAT', zeros(900_000).subarray(0, 200)]]).subarray(0, 150),
  ),
  attack(
    'PNG with an unterminated chunk',
    'fails',
    'image/png',
    Buffer.from('89504e470d0a1a0a7fffffff49484452', 'hex'),
  ),
  attack('JPEG of 65,500 by 65,500', 'fails', 'image/jpeg', jpegHead(65_500, 65_500)),
  attack('JPEG of random bytes', 'ends', 'image/jpeg', jpegHead(6000, 6000)),
  attack(
    'WebP with a wrong length',
    'fails',
    'image/webp',
    Buffer.from('52494646ffffffff57454250565038580a00000010000000ffff3fffff3f', 'hex'),
  ),
  attack(
    'AVIF with wrong boxes',
    'fails',
    'image/avif',
    Buffer.concat([
      Buffer.from('0000001c6674797061766966000000006d696631617669666d696166', 'hex'),
      Buffer.from('ffffffff6d657461', 'hex'),
      Buffer.alloc(2000, 0x41),
    ]),
  ),
  // Above 2048 by 2048 the decoder uses the size of the frames.
  attack('GIF with a screen of 65,535 by 65,535', 'ends', 'image/gif', gif(65_535, 65_535, { frames: 2 })),
  attack(
    'GIF with frames of 65,535 by 65,535',
    'fails',
    'image/gif',
    gif(65_535, 65_535, { frames: 2, side: 65_535 }),
  ),
  attack(
    'bitmap with a wrong size',
    'fails',
    'image/bmp',
    Buffer.concat([
      Buffer.from('424d4600000000000000360000002800000000ffff7f00ffff7f01001800', 'hex'),
      Buffer.alloc(60),
    ]),
  ),
  attack(
    'icon with thousands of images',
    'fails',
    'image/x-icon',
    Buffer.concat([Buffer.from('00000100ffff', 'hex'), Buffer.alloc(5000, 0x11)]),
  ),
  attack('TIFF, which is not supported', 'fails', 'image/tiff', Buffer.from('49492a0008000000ffff', 'hex')),
  attack(
    'SVG declared as PNG',
    'fails',
    'image/png',
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file:///etc/passwd"/></svg>',
  ),
  attack('PDF declared as JPEG', 'fails', 'image/jpeg', '%PDF-1.7\n1 0 obj<</Type/Catalog>>endobj'),
  attack(
    'PNG declared as HTML',
    'ends',
    'text/html',
    png([2, 2, 8, 2], [['IDAT', deflateSync(Buffer.alloc(14))]]),
  ),
  attack(
    'brotli that expands ten-thousandfold',
    'fails',
    'text/html',
    brotliCompressSync(Buffer.alloc(300 * 2 ** 20, 'a')),
    'br',
  ),
  attack('gzip in gzip', 'ends', 'text/html', gzipSync(gzipSync(Buffer.alloc(50 * 2 ** 20))), 'gzip'),
  attack('truncated gzip', 'ends', 'text/html', gzipSync(GREEN_PAGE.repeat(500)).subarray(0, 60), 'gzip'),
  attack('unknown encoding', 'fails', 'text/plain', 'abc', 'zip-bomb'),
  attack('media type with a line break', 'ends', 'text/html\r\nset-cookie: a=b\r\n\r\n<script>', GREEN_PAGE),
  attack('text of one endless word', 'ends', 'text/plain', 'W'.repeat(300_000)),
  attack('text of combining marks', 'ends', 'text/plain', `a${'\u0301\u0323'.repeat(60_000)}`),
  attack('text of bidirectional controls', 'ends', 'text/plain', `${'\u202e\u2066\u202b'.repeat(20_000)}end`),
  attack('text of emoji', 'ends', 'text/plain', '👩‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿'.repeat(5_000)),
  attack(
    'text with Pango markup',
    'ends',
    'text/plain',
    '<span font="999999" foreground="red">&#x26;'.repeat(500),
  ),
  attack('deeply nested JSON', 'ends', 'application/json', `${'['.repeat(2000)}${']'.repeat(2000)}`),
  attack('text that is not UTF-8', 'ends', 'text/plain', Buffer.alloc(5000, 0xfe)),
  attack(
    'WebM with a wrong length',
    'fails',
    'video/webm',
    Buffer.concat([
      Buffer.from(
        '1a45dfa39f4286810142f7810142f2810442f381084282847765626d42878104428581021853806701ffffffffffffff1549a966',
        'hex',
      ),
      Buffer.alloc(3000, 0xec),
    ]),
  ),
  attack(
    'MP4 that contains itself',
    'fails',
    'video/mp4',
    Buffer.concat([
      Buffer.from('00000018667479706d703432000000006d70343269736f6d', 'hex'),
      ...Array<Buffer>(500).fill(Buffer.from('7fffffff6d6f6f76', 'hex')),
    ]),
  ),
  attack('text declared as video', 'fails', 'video/mp4', 'a video'),
  attack(
    'sound with 65,535 channels',
    'fails',
    'audio/wav',
    wav({ channels: 65_535, rate: 44_100, length: 4_294_967_295 }),
  ),
  attack(
    'sound with a wrong length',
    'ends',
    'audio/wav',
    wav({ channels: 1, rate: 1, length: 4_294_967_295 }),
  ),
  attack(
    'sound with the maximum sample rate',
    'ends',
    'audio/wav',
    wav({ channels: 2, rate: 4_294_967_295, length: 2000 }),
  ),
  attack(
    'Ogg of random bytes',
    'fails',
    'audio/ogg',
    Buffer.concat([Buffer.from('4f67675300020000000000000000', 'hex'), Buffer.alloc(3000, 0x4f)]),
  ),
  attack(
    'glTF that requests URLs',
    'fails',
    'model/gltf+json',
    '{"asset":{"version":"2.0"},"buffers":[{"uri":"http://127.0.0.1:1/x","byteLength":4294967295}]}',
  ),
  {
    name: 'font of random bytes',
    end: 'ends',
    piece: () =>
      html(
        `<style>@font-face{font-family:x;src:url(data:font/woff2;base64,${Buffer.concat([Buffer.from('774f463200010000ffffffffffff0000', 'hex'), Buffer.alloc(30_000, 0x77)]).toString('base64')})}</style><body style="background:#00ff00;font-family:x">letters`,
      ),
  },
  {
    name: 'compressed favicon bomb',
    end: 'ends',
    piece: () =>
      html(
        `<link rel="icon" href="data:image/png;base64,${png([20_000, 5_000, 8, 6], [['IDAT', zeros(2_000_000)]]).toString('base64')}"><body style="background:#00ff00"><img src="data:image/png;base64,${png([30_000, 30_000, 1, 0], [['IDAT', zeros(30_000 * 3751)]]).toString('base64')}">`,
      ),
  },
]
