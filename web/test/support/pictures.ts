import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

const KEPT = join(import.meta.dirname, '../../../docs/screenshots')
/** Maximum share of different pixels, and tolerance per colour channel, since anti-aliasing varies. */
const MAX_DIFFERENT = 0.001
const CHANNEL_TOLERANCE = 32

/** True to update docs/screenshots instead of comparing. */
export const isTaking = process.env.SCREENSHOTS === '1'

export const SIZES = {
  phone: { width: 390, height: 844 },
  tablet: { width: 820, height: 1180 },
  desktop: { width: 1440, height: 900 },
  wide: { width: 1920, height: 1080 },
} as const
export type Size = keyof typeof SIZES

/**
 * Compares a screenshot with the stored one of that name, or stores it if SCREENSHOTS=1. Returns null, or a message with the path of the
 * new screenshot. Masks what varies between runs: `<time>`, `data-varies`, addresses and the market's host. Times get a fixed width so that
 * the layout does not shift.
 */
export async function comparePicture(page: Page, name: string, fullPage = false): Promise<string | null> {
  const taken = await withEqualTimes(page, () =>
    page.screenshot({
      fullPage,
      animations: 'disabled',
      caret: 'hide',
      mask: [
        page.locator('time, [data-varies], a[href^="/address/"]'),
        page.locator('code').filter({ hasText: new URL(page.url()).host }),
      ],
      maskColor: '#808080',
    }),
  )
  const path = join(KEPT, `${name}.png`)
  if (isTaking) {
    mkdirSync(KEPT, { recursive: true })
    writeFileSync(path, taken)
    return null
  }
  if (!existsSync(path)) return `${name}: no picture yet; SCREENSHOTS=1 takes it`
  const different = await differenceOf(page, readFileSync(path), taken)
  if (different <= MAX_DIFFERENT) return null
  const seen = join(mkdtempSync(join(tmpdir(), 'ordbook-picture-')), `${name}.png`)
  writeFileSync(seen, taken)
  return `${name}: ${(100 * different).toFixed(2)} % of the pixels differ from docs/screenshots; see ${seen}`
}

/** Sets a fixed width for all times while `work` runs. Uses a constructed style sheet, since the CSP forbids inline styles. */
async function withEqualTimes<T>(page: Page, work: () => Promise<T>): Promise<T> {
  await page.evaluate(`(() => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync('time { display: inline-block; width: 9ch; overflow: hidden; white-space: nowrap; vertical-align: bottom }')
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
  })()`)
  try {
    return await work()
  } finally {
    await page.evaluate('document.adoptedStyleSheets = document.adoptedStyleSheets.slice(0, -1)')
  }
}

/** Returns the share of pixels that differ, or 1 if the sizes differ. A separate page decodes the PNGs. */
async function differenceOf(page: Page, kept: Buffer, taken: Buffer): Promise<number> {
  if (kept.equals(taken)) return 0
  const beside = await page.context().newPage()
  try {
    return await beside.evaluate<number>(`(async () => {
      const pixels = async (base64) => {
        const bitmap = await createImageBitmap(await (await fetch('data:image/png;base64,' + base64)).blob())
        const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')
        canvas.drawImage(bitmap, 0, 0)
        return canvas.getImageData(0, 0, bitmap.width, bitmap.height)
      }
      const [a, b] = [await pixels('${kept.toString('base64')}'), await pixels('${taken.toString('base64')}')]
      if (a.width !== b.width || a.height !== b.height) return 1
      let different = 0
      for (let at = 0; at < a.data.length; at += 4)
        if ([0, 1, 2].some((channel) => Math.abs(a.data[at + channel] - b.data[at + channel]) > ${CHANNEL_TOLERANCE})) different++
      return different / (a.width * a.height)
    })()`)
  } finally {
    await beside.close()
  }
}
