import sharp, { type Sharp } from 'sharp'
import { NoThumbnail, SIZES, type Thumbnails } from '../thumbnails.ts'

/** Maximum pixels to decode: 200 MB of memory. */
const MAX_PIXELS = 50_000_000
/** Maximum width of pixel art, which is not scaled. */
export const PIXEL_ART = 64
const LARGEST = Math.max(...SIZES)
const SMALLEST = Math.min(...SIZES)

/** Decoders for untrusted bytes. SVG and PDF are excluded because they can load other files. */
const READERS = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif'].map((name) => `VipsForeignLoad${name}Buffer`)

/** Restricts libvips to these decoders, one thread and no cache. */
export function restrictReaders(): void {
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: READERS })
  sharp.cache(false)
  sharp.concurrency(1)
}

/** Target and maximum bytes by thumbnail size. A grid of 48 is at most 600 kB. */
const AIMS: Readonly<Record<number, readonly [aim: number, most: number]>> = {
  96: [2_500, 8_000],
  384: [11_000, 12_000],
  1024: [70_000, 240_000],
}
/** In descending order. Below `MIN_FOR_AIM`, only the maximum size applies. */
const QUALITIES = [76, 62, 48, 36, 24, 12, 4]
const MIN_FOR_AIM = 36
/** A higher effort saves 5% of the bytes but takes twice as long. */
const EFFORT = 2

/** An uncompressed image: RGB, or RGBA if it is transparent. */
export interface Pixels {
  data: Buffer
  width: number
  height: number
  channels: 3 | 4
}

export const open = ({ data, ...raw }: Pixels): Sharp => sharp(data, { raw })

export async function pixelsOf(picture: Sharp): Promise<Pixels> {
  const { data, info } = await picture.raw().toBuffer({ resolveWithObject: true })
  const { width, height, channels } = info
  return { data, width, height, channels: channels as 3 | 4 }
}

/** Decodes the first frame, scaled down to the largest thumbnail. Throws NoThumbnail. */
export async function decode(bytes: Uint8Array): Promise<Pixels> {
  const picture = sharp(bytes, {
    limitInputPixels: MAX_PIXELS,
    failOn: 'none',
    sequentialRead: true,
    pages: 1,
  })
  try {
    const pixels = await pixelsOf(
      picture
        .autoOrient()
        .toColourspace('srgb')
        .resize(LARGEST, LARGEST, { fit: 'inside', withoutEnlargement: true })
        .ensureAlpha(),
    )
    return isOpaque(pixels) ? await pixelsOf(open(pixels).removeAlpha()) : pixels
  } catch (error) {
    throw new NoThumbnail(`the image cannot be decoded: ${firstLine(error)}`, { isFinal: true })
  }
}

function isOpaque({ data }: Pixels): boolean {
  for (let at = 3; at < data.length; at += 4) if (data[at]! < 255) return false
  return true
}

/** Creates thumbnails, each from the next larger one. Throws NoThumbnail. */
export async function thumbnailsOf(picture: Pixels): Promise<Thumbnails> {
  const isPixelArt = Math.max(picture.width, picture.height) <= PIXEL_ART
  const thumbnails: Thumbnails['thumbnails'] = []
  let pixels = picture
  for (const size of SIZES.toSorted((a, b) => b - a)) {
    pixels = await shrink(pixels, size)
    const webp = isPixelArt
      ? (thumbnails[0]?.webp ?? (await open(pixels).webp({ lossless: true }).toBuffer()))
      : ((await encode(pixels, size)) ??
        // Noise compresses badly at any quality. With fewer pixels, it looks the same.
        (await encode(await shrink(pixels, Math.round(size / 2)), size)))
    if (!webp)
      throw new NoThumbnail(`the thumbnail of ${size} pixels exceeds its size limit at the lowest quality`, {
        isFinal: true,
      })
    thumbnails.push({ size, webp })
  }
  return { thumbnails, placeholder: await placeholderOf(pixels) }
}

async function shrink(pixels: Pixels, side: number): Promise<Pixels> {
  if (Math.max(pixels.width, pixels.height) <= side) return pixels
  return pixelsOf(open(pixels).resize(side, side, { fit: 'inside' }))
}

/** Encodes WebP at the best quality within the size limit, or returns null. */
async function encode(pixels: Pixels, size: number): Promise<Uint8Array | null> {
  const [aim, most] = AIMS[size]!
  const encodeAt = async (quality: number) => {
    // In larger sizes, sharp colour edges cost most of the time and a third of the bytes, but do not matter.
    const webp = await open(pixels)
      .webp({ quality, effort: EFFORT, smartSubsample: size === SMALLEST })
      .toBuffer()
    return webp.length <= (quality > MIN_FOR_AIM ? aim : most) ? webp : null
  }
  let best = await encodeAt(QUALITIES[0]!)
  // Most images fit at the best quality. Otherwise, search from `low` to below `high`.
  for (let low = 1, high = best ? 1 : QUALITIES.length; low < high; ) {
    const middle = (low + high) >> 1
    const webp = await encodeAt(QUALITIES[middle]!)
    if (webp) best = webp
    if (webp) high = middle
    else low = middle + 1
  }
  return best
}

/** Returns a 4 by 4 bitmap, or null if the image is transparent. */
async function placeholderOf(pixels: Pixels): Promise<Uint8Array | null> {
  if (pixels.channels === 4) return null
  const { data } = await pixelsOf(open(pixels).resize(4, 4, { fit: 'fill' }))
  const bitmap = new Uint8Array(48)
  for (let row = 0; row < 4; row++)
    for (let column = 0; column < 4; column++)
      for (let part = 0; part < 3; part++)
        bitmap[((3 - row) * 4 + column) * 3 + part] = data[(row * 4 + column) * 3 + 2 - part]!
  return bitmap
}

export const firstLine = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0]!.slice(0, 200)
