import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import sharp, { type Sharp } from 'sharp'
import { afterAll, describe, expect, it } from 'vitest'
import { limitsOf } from '../limits.ts'
import { NoThumbnail, SIZES } from '../thumbnails.ts'
import { Rasters } from './rasters.ts'

const LIMITS = limitsOf(100, 900)
const rasters = new Rasters(LIMITS, 60_000)
afterAll(() => rasters.end())

const plain = (background: string, side = 300) =>
  sharp({ create: { width: side, height: side, channels: 4, background } })

const FORMS: readonly (readonly [name: string, picture: Sharp, colour: number[]])[] = [
  ['a JPEG', plain('#d08020').jpeg(), [208, 128, 32]],
  ['a grey JPEG', plain('#808080').toColourspace('b-w').jpeg(), [128, 128, 128]],
  ['a JPEG for print', plain('#ffffff').toColourspace('cmyk').jpeg(), [255, 255, 255]],
  ['a grey PNG', plain('#808080').removeAlpha().toColourspace('b-w').png(), [128, 128, 128]],
  ['a PNG of 16 bits', plain('#d08020').toColourspace('rgb16').png(), [208, 128, 32]],
  ['a PNG with a palette', plain('#d08020').png({ palette: true }), [208, 128, 32]],
  ['a wide picture', plain('#d08020').resize(2000, 10, { fit: 'fill' }).png(), [208, 128, 32]],
  ['pixel art', plain('#d08020', 24).png(), [208, 128, 32]],
]

describe('thumbnails', () => {
  it.each(FORMS)('thumbnailsOf preserves the color of %s', async (_, picture, colour) => {
    const { thumbnails, placeholder } = await rasters.thumbnailsOf({
      kind: 'picture',
      bytes: await picture.toBuffer(),
    })
    expect(thumbnails.map(({ size }) => size).sort((a, b) => a - b)).toEqual([...SIZES])
    for (const { webp, size } of thumbnails) {
      const { channels, isOpaque } = await sharp(webp).stats()
      const { width, height } = await sharp(webp).metadata()
      expect(Math.max(width, height)).toBeLessThanOrEqual(size)
      expect(isOpaque).toBe(true)
      for (const [part, value] of colour.entries())
        expect(Math.abs(channels[part]!.mean - value), `part ${part} at ${size}`).toBeLessThan(10)
    }
    expect(placeholder).toHaveLength(48)
  })

  it('thumbnailsOf preserves transparency', async () => {
    for (const picture of [plain('#d0802080'), plain('#80808080').toColourspace('b-w')]) {
      const { thumbnails, placeholder } = await rasters.thumbnailsOf({
        kind: 'picture',
        bytes: await picture.png().toBuffer(),
      })
      expect(placeholder).toBe(null)
      for (const { webp } of thumbnails) {
        const { channels } = await sharp(webp).stats()
        expect(channels).toHaveLength(4)
        expect(Math.abs(channels[3]!.mean - 128)).toBeLessThan(4)
      }
    }
  })

  it('thumbnailsOf centers a short text', async () => {
    const { thumbnails } = await rasters.thumbnailsOf({ kind: 'text', bytes: Buffer.from('hodl') })
    const largest = thumbnails.find(({ size }) => size === 1024)!
    const ink = await sharp(largest.webp)
      .flatten({ background: '#fff' })
      .trim({ threshold: 60 })
      .toBuffer({ resolveWithObject: true })
    const { width, height, trimOffsetLeft, trimOffsetTop } = ink.info
    expect(width).toBeGreaterThan(500)
    expect(Math.abs(width / 2 - trimOffsetLeft! - 512)).toBeLessThan(30)
    expect(Math.abs(height / 2 - trimOffsetTop! - 512)).toBeLessThan(60)
  })
})

describe('Rasters', () => {
  const text = { kind: 'text', bytes: Buffer.from('hodl') } as const
  const started = async (raster: Rasters): Promise<ChildProcess> => {
    await raster.prepare()
    return Reflect.get(raster, 'child') as ChildProcess
  }

  it('restarts a process that ended while idle', async () => {
    const idle = new Rasters(LIMITS, 60_000)
    try {
      const child = await started(idle)
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
      expect((await idle.thumbnailsOf(text)).thumbnails).toHaveLength(3)
    } finally {
      idle.end()
    }
  })

  it('restarts a process to which it cannot send', async () => {
    const idle = new Rasters(LIMITS, 60_000)
    try {
      const child = await started(idle)
      // A stopped process does not exit when it is disconnected.
      child.kill('SIGSTOP')
      child.disconnect()
      await expect(idle.thumbnailsOf(text)).rejects.toThrow(NoThumbnail)
      expect((await idle.thumbnailsOf(text)).thumbnails).toHaveLength(3)
    } finally {
      idle.end()
    }
  })
})

it('Rasters decodes the next image after a timeout', async () => {
  const limited = new Rasters({ ...LIMITS, milliseconds: 200 }, 60_000)
  try {
    await limited.prepare()
    const large = await plain('#d08020', 7000).png({ compressionLevel: 1, progressive: true }).toBuffer()
    const ended = limited.thumbnailsOf({ kind: 'picture', bytes: large })
    await expect(ended).rejects.toThrow(
      new NoThumbnail('the image used more than 0.2 s of processor time', { isFinal: true }),
    )
    await expect(ended).rejects.toHaveProperty('isFinal', true)
    await limited.prepare()
    const small = await limited.thumbnailsOf({
      kind: 'picture',
      bytes: await plain('#d08020', 9).png().toBuffer(),
    })
    expect(small.thumbnails).toHaveLength(3)
  } finally {
    limited.end()
  }
})
