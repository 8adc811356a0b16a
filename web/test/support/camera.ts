import { writeFileSync } from 'node:fs'
import type { Locator } from 'playwright-core'
import { encodeQR } from 'qr'
import { decodeQR } from 'qr/decode.js'

const WIDTH = 640
const HEIGHT = 640
/** Width at which QR codes are read, in pixels. */
const SEEN = 400

/** Chromium arguments for a fake camera without permission prompts. */
export const ANY_CAMERA = ['--use-fake-ui-for-media-stream', '--use-fake-device-for-media-stream']

/** A fake camera that plays a film in a loop. The file must exist before the camera is used. */
export const cameraOf = (file: string) => [...ANY_CAMERA, `--use-file-for-fake-video-capture=${file}`]

/** Writes a film of QR codes: YUV4MPEG2, grey, 5 frames per second. */
export function film(file: string, texts: readonly string[]): void {
  const parts = [Buffer.from(`YUV4MPEG2 W${WIDTH} H${HEIGHT} F5:1 Ip A1:1 C420jpeg\n`)]
  for (const text of texts) {
    const code = encodeQR(text, 'raw', { ecc: 'low', border: 4 })
    const scale = Math.floor(WIDTH / code.length)
    const picture = Buffer.alloc(WIDTH * HEIGHT, 235)
    for (let y = 0; y < code.length * scale; y++)
      for (const [x, dark] of code[Math.floor(y / scale)]!.entries())
        if (dark) picture.fill(16, y * WIDTH + x * scale, y * WIDTH + (x + 1) * scale)
    parts.push(Buffer.from('FRAME\n'), picture, Buffer.alloc((WIDTH * HEIGHT) / 2, 128))
  }
  writeFileSync(file, Buffer.concat(parts))
}

export async function codeOf(image: Locator): Promise<string> {
  const source = await image.getAttribute('src')
  const pixels = await image.page().evaluate<number[]>(`(async () => {
    const image = new Image()
    image.src = ${JSON.stringify(source)}
    await image.decode()
    const canvas = new OffscreenCanvas(${SEEN}, ${SEEN}).getContext('2d')
    canvas.fillStyle = 'white'
    canvas.fillRect(0, 0, ${SEEN}, ${SEEN})
    canvas.drawImage(image, 0, 0, ${SEEN}, ${SEEN})
    return [...canvas.getImageData(0, 0, ${SEEN}, ${SEEN}).data]
  })()`)
  return decodeQR({ width: SEEN, height: SEEN, data: Uint8ClampedArray.from(pixels) })
}
