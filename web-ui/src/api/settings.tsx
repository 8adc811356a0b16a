import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react'
import { fiatAt, type MarketFiat } from '../format/fiat-at.ts'
import type { Fiat, Unit } from '../format/format.ts'
import { store, stored } from '../state/stored.ts'
import { queries, useRead } from './client.ts'

/** How often an exchange rate from a source is read. */
const POLL_MILLISECONDS = 120_000

/** Preferences of the visitor and settings of the market. */
interface Settings {
  unit: Unit
  setUnit(unit: Unit): void
  theme: 'light' | 'dark' | 'system'
  setTheme(theme: 'light' | 'dark' | 'system'): void
  market: Market | null
  /** Null without a rate, or if it is older than a day. */
  fiat: Fiat | null
}

export interface Market {
  name: string
  chain: string
  addressNetwork: 'mainnet' | 'testnet' | 'regtest'
  contentUrl: string
  hasThumbnails: boolean
  /** Base URL of a block explorer; null if not configured. */
  explorerUrl: string | null
  fiat: MarketFiat | null
  fees: {
    sellerFeeBps: number
    buyerFeeBps: number
    fillFeeBps: number
    /** Minimum fee, in sats; 0 if there is none. */
    feeMinSats: number
    proposalFeeSats: number
  }
  listingMinSats: number
  testWallets: boolean
}

const THEMES = ['light', 'dark', 'system'] as const
const SettingsContext = createContext<Settings | null>(null)

const oneOf = <T extends string>(name: string, choices: readonly T[], fallback: T): T =>
  choices.find((choice) => choice === stored(name)) ?? fallback

export function SettingsProvider({ children }: { children: ReactNode }) {
  const [unit, keepUnit] = useState<Unit>(() => oneOf('unit', ['btc', 'sats', 'fiat'], 'btc'))
  const [theme, keepTheme] = useState(() => oneOf('theme', THEMES, 'system'))
  const [now, setNow] = useState(Date.now)
  const { data } = useRead('getMarket')
  const isPolled = typeof data?.fiat?.at === 'string'
  useEffect(() => {
    if (!isPolled) return
    const timer = setInterval(() => {
      setNow(Date.now())
      void queries.invalidateQueries({ queryKey: ['getMarket'] })
    }, POLL_MILLISECONDS)
    return () => clearInterval(timer)
  }, [isPolled])
  const setUnit = useCallback((next: Unit) => {
    store('unit', next)
    keepUnit(next)
  }, [])
  const setTheme = useCallback((next: 'light' | 'dark' | 'system') => {
    store('theme', next)
    if (next === 'system') delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = next
    keepTheme(next)
  }, [])
  const value = useMemo(
    () => ({ unit, setUnit, theme, setTheme, market: data ?? null, fiat: fiatAt(data?.fiat ?? null, now) }),
    [unit, setUnit, theme, setTheme, data, now],
  )
  return <SettingsContext.Provider value={value}>{children}</SettingsContext.Provider>
}

export function useSettings(): Settings {
  const settings = useContext(SettingsContext)
  if (!settings) throw new Error('no SettingsProvider')
  return settings
}
