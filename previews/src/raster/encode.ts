import sharp, { type Sharp } from 'sharp'
import { NoStill, SIZES, type Stills } from '../stills.ts'

/** Largest picture that is decoded, in pixels: 200 MB of memory. */
const MOST_PIXELS = 50_000_000
const SECONDS = 15
/** Pictures up to so wide are pixel art: they stay as they are, and pages draw each pixel as a square. */
const PIXEL_ART = 64

/** Readers that are let near hostile bytes. Vector graphics and documents are none: those can load other files. */
const READERS = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif'].map((name) => `VipsForeignLoad${name}Buffer`)

/** Prepares libvips for hostile bytes: the readers above alone, one thread, nothing kept. */
export function restrictReaders(): void {
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: READERS })
  sharp.cache(false)
  sharp.concurrency(1)
}

/** Bytes that a still aims at, and its most, by size: a grid of 48 weighs at most 600 kB. */
const AIMS: Readonly<Record<number, readonly [aim: number, most: number]>> = {
  96: [2_500, 8_000],
  384: [11_000, 12_000],
  1024: [70_000, 240_000],
}
/** Qualities from the best; below `LEAST_FOR_AIM` a still is made smaller only to stay under its most. */
const QUALITIES = [76, 62, 48, 36, 24, 12, 4]
const LEAST_FOR_AIM = 36

/** The stills of a picture, its first frame. Throws NoStill. */
export async function stillsOf(bytes: Uint8Array): Promise<Stills> {
  const open = () =>
    sharp(bytes, { limitInputPixels: MOST_PIXELS, failOn: 'none', sequentialRead: true, pages: 1 })
      .autoOrient()
      .timeout({ seconds: SECONDS })
  try {
    const { width, height } = await open().metadata()
    // Decoded once at the largest size, of which the others are made.
    const { data, info } = await open()
      .toColourspace('srgb')
      .resize(1024, 1024, { fit: 'inside', withoutEnlargement: true })
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true })
    const base = () =>
      sharp(data, { raw: { width: info.width, height: info.height, channels: 4 } }).timeout({
        seconds: SECONDS,
      })
    const isPixelArt = Math.max(width, height) <= PIXEL_ART
    const stills = []
    for (const size of SIZES) stills.push({ size, webp: await encode(base, size, isPixelArt) })
    return { stills, placeholder: await placeholderOf(base, data) }
  } catch (error) {
    throw new NoStill(`the picture cannot be decoded: ${firstLine(error)}`, { isFinal: true })
  }
}

async function encode(base: () => Sharp, size: number, isPixelArt: boolean): Promise<Uint8Array> {
  const [aim, most] = AIMS[size]!
  const fitted = (side: number) => base().resize(side, side, { fit: 'inside', withoutEnlargement: true })
  if (isPixelArt) return fitted(size).webp({ lossless: true }).toBuffer()
  // Noise takes many bytes at any quality: fewer pixels of it show no less.
  for (const side of [size, Math.round(size / 2)])
    for (const quality of QUALITIES) {
      const made = await fitted(side).webp({ quality, effort: 4, smartSubsample: true }).toBuffer()
      if (made.length <= (quality > LEAST_FOR_AIM ? aim : most)) return made
    }
  throw new Error(`no still of ${size} pixels within ${most} bytes`)
}

/** 4 by 4 pixels as a bitmap stores them; null where any of the picture is transparent. */
async function placeholderOf(base: () => Sharp, pixels: Buffer): Promise<Uint8Array | null> {
  for (let at = 3; at < pixels.length; at += 4) if (pixels[at]! < 255) return null
  const rgb = await base().removeAlpha().resize(4, 4, { fit: 'fill' }).raw().toBuffer()
  const bitmap = new Uint8Array(48)
  for (let row = 0; row < 4; row++)
    for (let column = 0; column < 4; column++)
      for (let part = 0; part < 3; part++)
        bitmap[((3 - row) * 4 + column) * 3 + part] = rgb[(row * 4 + column) * 3 + 2 - part]!
  return bitmap
}

export const firstLine = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0]!.slice(0, 200)
