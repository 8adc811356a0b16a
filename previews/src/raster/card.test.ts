import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { limitsOf } from '../limits.ts'
import { NoThumbnail } from '../thumbnails.ts'
import { lineOf } from './card.ts'
import { Rasters } from './rasters.ts'

const rasters = new Rasters(limitsOf(20, 900), 60_000)
beforeAll(() => rasters.prepare(), 60_000)
afterAll(() => rasters.end())

const TEXTS = {
  heading: 'Harbour Lamps · Verified',
  name: 'Harbour Lamp #2',
  label: 'Price',
  amount: '0.00097 BTC',
  note: 'Floor 0.0008 BTC',
  market: 'market.example',
}
/** Position of the artwork. */
const ART = { left: 40, top: 40, width: 550, height: 550 }
const NAME = { left: 630, top: 94, width: 530, height: 190 }

const thumbnailOf = (side: number, background = '#20a060') =>
  sharp({ create: { width: side, height: side, channels: 3, background } })
    .webp({ lossless: true })
    .toBuffer()

/** Returns the share of bright pixels in an area. */
async function inked(card: Uint8Array, place: typeof ART): Promise<number> {
  const { data, info } = await sharp(card).extract(place).raw().toBuffer({ resolveWithObject: true })
  let bright = 0
  for (let at = 0; at < data.length; at += info.channels) if (data[at + 1]! > 80) bright++
  return bright / (info.width * info.height)
}

describe('card', () => {
  it('cardOf draws a JPEG of 1200 by 630 pixels', async () => {
    for (const side of [24, 384, 1024]) {
      const card = await rasters.cardOf(await thumbnailOf(side), TEXTS)
      const { format, width, height, exif } = await sharp(card).metadata()
      expect([format, width, height, exif]).toEqual(['jpeg', 1200, 630, undefined])
      expect(card.length).toBeLessThan(200_000)
      expect(await inked(card, ART)).toBe(1)
      expect(await inked(card, NAME)).toBeGreaterThan(0.02)
      // Nothing is drawn in the margins.
      expect(await inked(card, { left: 1161, top: 0, width: 39, height: 630 })).toBe(0)
    }
  })

  it('cardOf draws markup in a name as text', async () => {
    const thumbnail = await thumbnailOf(384)
    const drawName = (name: string) => rasters.cardOf(thumbnail, { ...TEXTS, name })
    const markup = '<span foreground="#000000">A</span>&amp;<b>'
    // As markup it would render as a single dark letter.
    expect(await inked(await drawName(markup), NAME)).toBeGreaterThan(await inked(await drawName('A'), NAME))
    const names = [
      '𠀀'.repeat(1225),
      'W'.repeat(1225),
      '👩‍👩‍👧'.repeat(60),
      '\u202eشَدّة '.repeat(200),
      `Z${'\u0334'.repeat(1000)}`,
    ]
    for (const name of names) {
      const card = await drawName(name)
      expect(await inked(card, NAME), name.slice(0, 4)).toBeGreaterThan(0.001)
      // The name does not overflow into the lines around it.
      expect(await inked(card, { ...NAME, top: 290, height: 36 })).toBe(0)
      expect(await inked(card, { left: 1161, top: 0, width: 39, height: 630 })).toBe(0)
    }
    expect(await inked(await drawName(' \u200b '), NAME)).toBe(0)
  })

  it('cardOf omits missing lines', async () => {
    const card = await rasters.cardOf(await thumbnailOf(384), { ...TEXTS, amount: null, note: null })
    expect(await inked(card, { left: 630, top: 374, width: 530, height: 130 })).toBe(0)
  })

  it('cardOf throws if the thumbnail cannot be decoded', async () => {
    await expect(rasters.cardOf(Buffer.from('RIFF'), TEXTS)).rejects.toBeInstanceOf(NoThumbnail)
  })
})

it('lineOf omits invisible characters', () => {
  expect(lineOf(' a\n\u202eb\u200b\tc ')).toBe('a b c')
  expect(lineOf('👍'.repeat(100))).toBe(`${'👍'.repeat(89)}…`)
  expect(lineOf(`e${'\u0301'.repeat(50)}`)).toBe('e\u0301\u0301')
})
