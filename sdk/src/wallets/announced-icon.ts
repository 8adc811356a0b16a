import type { Adapter } from './adapter.ts'
import { objectAt } from './provider.ts'
import { registeredWallets } from './wallet-standard.ts'

/** Maximum length of a data URI. */
const MAX_LENGTH = 100_000
/** `image/svg` is what Leather announces. */
const ICON = /^data:image\/(png|jpeg|webp|gif|svg\+xml|svg);base64,([A-Za-z0-9+/]{4,}={0,2})$/

/**
 * Returns the icon that an installed wallet announces, as a data URI, or null. Wallets announce icons in `window.btc_providers`
 * (wbips.netlify.app/wbips/WBIP004) or as wallets of the Wallet Standard. Other extensions can announce the same name, and an SVG can
 * contain scripts: show it only in an <img>.
 */
export function announcedIcon({ name }: Pick<Adapter, 'name'>): string | null {
  for (const announced of announcedWallets()) {
    const icon = iconIn(announced, name.toLowerCase())
    if (icon) return icon
  }
  return null
}

function announcedWallets(): unknown[] {
  const lists = ['btc_providers', 'wbip_providers'].map((place) => objectAt(globalThis, [place]))
  return [...registeredWallets(), ...lists.filter((list) => Array.isArray(list)).flat()]
}

/** Wallets announce longer names too, such as `Xverse Wallet`. Any member can be a getter that throws. */
function iconIn(announced: unknown, name: string): string | null {
  try {
    if (typeof announced !== 'object' || announced === null) return null
    const [called, icon] = [Reflect.get(announced, 'name'), Reflect.get(announced, 'icon')]
    if (typeof called !== 'string' || !called.toLowerCase().startsWith(name)) return null
    return typeof icon === 'string' && icon.length <= MAX_LENGTH ? dataUriOf(icon.trim()) : null
  } catch {
    return null
  }
}

function dataUriOf(icon: string): string | null {
  const [, type, body] = ICON.exec(icon) ?? []
  return type ? `data:image/${type === 'svg' ? 'svg+xml' : type};base64,${body}` : null
}
