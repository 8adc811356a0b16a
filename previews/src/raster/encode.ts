import sharp, { type Sharp } from 'sharp'
import { NoThumbnail, SIZES, type Thumbnails } from '../thumbnails.ts'

/** Largest picture that is decoded, in pixels: 200 MB of memory. */
const MAX_PIXELS = 50_000_000
/** Pictures up to so wide are pixel art: they stay as they are, and pages draw each pixel as a square. */
export const PIXEL_ART = 64
const LARGEST = Math.max(...SIZES)
const SMALLEST = Math.min(...SIZES)

/** Readers that are let near hostile bytes. Vector graphics and documents are none: those can load other files. */
const READERS = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif'].map((name) => `VipsForeignLoad${name}Buffer`)

/** Prepares libvips for hostile bytes: the readers above alone, one thread, nothing kept. */
export function restrictReaders(): void {
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: READERS })
  sharp.cache(false)
  sharp.concurrency(1)
}

/** Bytes that a thumbnail aims at, and its most, by size: a grid of 48 weighs at most 600 kB. */
const AIMS: Readonly<Record<number, readonly [aim: number, most: number]>> = {
  96: [2_500, 8_000],
  384: [11_000, 12_000],
  1024: [70_000, 240_000],
}
/** Qualities from the best; below `MIN_FOR_AIM` a thumbnail is made smaller only to stay under its most. */
const QUALITIES = [76, 62, 48, 36, 24, 12, 4]
const MIN_FOR_AIM = 36
/** More effort saves a twentieth of the bytes, and takes twice the time. */
const EFFORT = 2

/** An uncompressed image: red, green and blue of each pixel, and alpha if the image is transparent. */
export interface Pixels {
  data: Buffer
  width: number
  height: number
  channels: 3 | 4
}

export const open = ({ data, ...raw }: Pixels): Sharp => sharp(data, { raw })

/** The pixels that a picture becomes. */
export async function pixelsOf(picture: Sharp): Promise<Pixels> {
  const { data, info } = await picture.raw().toBuffer({ resolveWithObject: true })
  const { width, height, channels } = info
  return { data, width, height, channels: channels as 3 | 4 }
}

/** A picture without any coding, its first frame, no larger than the largest thumbnail. Throws NoThumbnail. */
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
    throw new NoThumbnail(`the picture cannot be decoded: ${firstLine(error)}`, { isFinal: true })
  }
}

function isOpaque({ data }: Pixels): boolean {
  for (let at = 3; at < data.length; at += 4) if (data[at]! < 255) return false
  return true
}

/** The thumbnails of a picture, each made of the next larger one's pixels. Throws NoThumbnail. */
export async function thumbnailsOf(picture: Pixels): Promise<Thumbnails> {
  const isPixelArt = Math.max(picture.width, picture.height) <= PIXEL_ART
  const thumbnails: Thumbnails['thumbnails'] = []
  let pixels = picture
  for (const size of SIZES.toSorted((a, b) => b - a)) {
    pixels = await shrink(pixels, size)
    const webp = isPixelArt
      ? (thumbnails[0]?.webp ?? (await open(pixels).webp({ lossless: true }).toBuffer()))
      : ((await encode(pixels, size)) ??
        // Noise takes many bytes at any quality: fewer pixels of it show no less.
        (await encode(await shrink(pixels, Math.round(size / 2)), size)))
    if (!webp) throw new NoThumbnail(`no thumbnail of ${size} pixels is small enough`, { isFinal: true })
    thumbnails.push({ size, webp })
  }
  return { thumbnails, placeholder: await placeholderOf(pixels) }
}

async function shrink(pixels: Pixels, side: number): Promise<Pixels> {
  if (Math.max(pixels.width, pixels.height) <= side) return pixels
  return pixelsOf(open(pixels).resize(side, side, { fit: 'inside' }))
}

/** A picture as WebP of the best quality with which it is as small as a thumbnail of this size has to be; null where none is. */
async function encode(pixels: Pixels, size: number): Promise<Uint8Array | null> {
  const [aim, most] = AIMS[size]!
  const made = async (quality: number) => {
    // Sharp edges of colours show in the smallest thumbnail alone; in the others they take most of the time and a third of the bytes.
    const webp = await open(pixels)
      .webp({ quality, effort: EFFORT, smartSubsample: size === SMALLEST })
      .toBuffer()
    return webp.length <= (quality > MIN_FOR_AIM ? aim : most) ? webp : null
  }
  let best = await made(QUALITIES[0]!)
  // Most images are small enough immediately. Otherwise the best quality is from `low` up to below `high`.
  for (let low = 1, high = best ? 1 : QUALITIES.length; low < high; ) {
    const middle = (low + high) >> 1
    const webp = await made(QUALITIES[middle]!)
    if (webp) best = webp
    if (webp) high = middle
    else low = middle + 1
  }
  return best
}

/** 4 by 4 pixels as a bitmap stores them; null where any of the picture is transparent. */
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
