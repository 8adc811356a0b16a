import type { AddressNetwork } from '@ordbook/bitcoin/address.ts'
import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { LocatedInscription } from '@ordbook/bitcoin/trace-contents.ts'
import {
  type Answer,
  ApiError,
  assertAnswerSchema,
  Client,
  type CoreNode,
  coreNode,
  findBinding,
  pinMarketKeys,
  type SigningRequest,
  signInWeb,
  type Trader,
  type Wallet,
} from '@ordbook/sdk'
import type { InscriptionCoin, MarketKeys } from '@ordbook/sdk/verify'
import { confirm } from './ask.ts'
import type { Config } from './config.ts'
import { EXIT, Failure } from './failure.ts'
import { proveItem } from './item-coin.ts'
import { nodeOf } from './keys/core.ts'
import { type Opened, openWallet } from './keys/open-wallet.ts'
import type { Output } from './output.ts'
import { readPages } from './pages.ts'
import { doubtsAbout } from './price-check.ts'
import { type Located, linesOfTerms, type Terms, termsOf } from './review.ts'
import { changeState, type MarketState, readState, stateFile } from './state.ts'
import type { OwnTerms } from './swap-terms.ts'

const REPEATS = 3

/** Thrown by `--dry-run` instead of signing. */
export class DryRun extends Error {
  readonly document: unknown
  readonly text: readonly string[]

  constructor(document: unknown, text: readonly string[]) {
    super('nothing is signed')
    this.document = document
    this.text = text
  }
}

export interface Item {
  inscriptionId: string
  name: string
  /** Slug of the collection; null if there is none. */
  slug: string | null
  coin: InscriptionCoin
  escrowForm: 'published' | 'wallet' | null
}

type Summary = (terms: readonly Terms[], wallet: Wallet) => { document: object; text: readonly string[] }

/** Session of a verb at one market, with one wallet. */
export class TradeSession {
  readonly out: Output
  readonly flags: { isDryRun: boolean; isSure: boolean }
  private readonly readConfig: () => Config
  private readonly located: Located = new Map()
  private readonly doubts: string[] = []
  private opened: Promise<Opened> | null = null
  private cachedConfig: Config | null = null
  private connected: Client | null = null

  /** `readConfig` is called on first use, because an exit with public keys needs no configuration. */
  constructor(readConfig: () => Config, out: Output, flags: { isDryRun: boolean; isSure: boolean }) {
    this.readConfig = readConfig
    this.out = out
    this.flags = flags
  }

  get config(): Config {
    this.cachedConfig ??= this.readConfig()
    return this.cachedConfig
  }

  /** A client of `/web/v1`, which extends the API with coins, holdings and swaps. */
  get client(): Client {
    if (!this.connected) {
      this.connected = new Client(`${this.config.market}/web/v1`, { repeats: REPEATS })
      this.connected.checkAnswer = assertAnswerSchema
    }
    return this.connected
  }

  /** The configured node, or the node of a Bitcoin Core wallet; otherwise null. */
  get node(): CoreNode | null {
    const { node, wallet } = this.config
    const url = node ?? (wallet?.kind === 'core' ? nodeOf(wallet) : null)
    return url === null ? null : coreNode(url)
  }

  /** Returns the stored state of the market. Creates it at first contact. */
  async state(): Promise<MarketState> {
    const stored = readState(this.config.market)
    if (stored) return stored
    const { addressNetwork } = await this.client.call('getMarket')
    return changeState(
      this.config.market,
      (meanwhile) => meanwhile ?? { addressNetwork, keys: null, sessions: {}, proposals: {}, plainCoins: [] },
    )
  }

  async network(): Promise<AddressNetwork> {
    return (await this.state()).addressNetwork
  }

  own(): Promise<Opened> {
    this.opened ??= (async () => {
      if (!this.config.wallet) throw new Failure('no-wallet', 'no keys are configured: run ordbook setup')
      return openWallet(this.config.wallet, await this.network(), (text) => this.out.note(text))
    })()
    return this.opened
  }

  /** Returns a signed-in trader, whose wallet prints each transaction before signing (see `reviewing`). */
  async trader(summary?: Summary): Promise<Trader> {
    const { wallet } = await this.own()
    const walletBindingId = await this.session(wallet)
    return {
      client: this.client,
      wallet: await this.reviewing(wallet, summary),
      walletBindingId,
      ...(await this.pinnedKeys()),
    }
  }

  async signIn(): Promise<Answer<'openWebSession'>> {
    const { wallet } = await this.own()
    const session = await signInWeb(
      this.client,
      {
        ordinalsAddress: wallet.ordinalsAddress,
        paymentAddress: wallet.paymentAddress,
        signMessage: async (address, message) => {
          if (this.flags.isDryRun)
            throw new DryRun({ dryRun: true, address, message }, [
              `${address} would sign:`,
              ...message.split('\n').map((line) => `  ${line}`),
            ])
          return wallet.signMessage(address, message)
        },
      },
      new URL(this.config.market).host,
    )
    await this.keepSession(wallet, this.client.headers.cookie ?? null)
    return session
  }

  async keepSession({ ordinalsAddress }: Wallet, cookie: string | null): Promise<void> {
    await this.keep((state) => {
      const { [ordinalsAddress]: _, ...others } = state.sessions
      return { sessions: cookie === null ? others : { ...others, [ordinalsAddress]: cookie } }
    })
  }

  async keepProposal(id: string, terms: OwnTerms): Promise<void> {
    await this.keep(({ proposals }) => ({ proposals: { ...proposals, [id]: terms } }))
  }

  async keep(change: (state: MarketState) => Partial<MarketState>): Promise<void> {
    const known = await this.state()
    await changeState(this.config.market, (stored) => {
      const state = stored ?? known
      return { ...state, ...change(state) }
    })
  }

  /** Returns the id of the wallet's binding. Signs in if there is no session. */
  private async session(wallet: Wallet): Promise<string> {
    const profile = await this.profile(wallet)
    const binding = findBinding(profile.walletBindings, wallet)
    if (!binding) throw new Failure('other-wallet', 'the session belongs to other addresses: sign in again')
    return binding.walletBindingId
  }

  private async profile(wallet: Wallet): Promise<Answer<'getWebSession'>> {
    const cookie = (await this.state()).sessions[wallet.ordinalsAddress]
    if (cookie !== undefined) {
      this.client.headers.cookie = cookie
      try {
        return await this.client.call('getWebSession')
      } catch (error) {
        if (!(error instanceof ApiError && error.status === 401)) throw error
        delete this.client.headers.cookie
      }
    }
    if (this.flags.isDryRun)
      throw new Failure(
        'not-signed-in',
        'a dry run does not sign in: run ordbook sign-in first',
        EXIT.session,
      )
    this.out.note(`signing in at ${new URL(this.config.market).host} as ${wallet.ordinalsAddress}`)
    return this.signIn()
  }

  /** Returns the market's keys, pinned on first use. Throws Failure if they changed. */
  private pinnedKeys(): Promise<MarketKeys> {
    const { market } = this.config
    const changed = () =>
      new Failure(
        'market-keys-changed',
        `the keys of ${market} changed, so nothing was signed. Contact the operator through another channel before you delete ${stateFile(market)}`,
        EXIT.unverified,
      )
    return pinMarketKeys(this.client, {
      read: async () => (await this.state()).keys,
      write: (keys) =>
        this.keep(({ keys: pinned }) => {
          // Another run can have pinned them since `read`.
          if (pinned && (pinned.cosignKey !== keys.cosignKey || pinned.guardianKey !== keys.guardianKey))
            throw changed()
          return { keys }
        }),
      changed,
    })
  }

  /** Wraps a wallet to print each transaction before signing. With `--dry-run` it throws DryRun instead. */
  async reviewing(wallet: Wallet, summary?: Summary): Promise<Wallet> {
    const network = await this.network()
    const signPsbts = async (requests: readonly SigningRequest[]) => {
      const terms = termsOf(wallet, network, requests, this.located)
      const details = summary?.(terms, wallet)
      const text = [...linesOfTerms(terms), ...(details?.text ?? [])]
      if (this.flags.isDryRun)
        throw new DryRun(
          { dryRun: true, doubts: this.doubts, ...details?.document, transactions: terms },
          text,
        )
      this.out.note(text)
      await confirm(this.doubts, this.flags.isSure)
      if (wallet.signPsbts) return wallet.signPsbts(requests)
      const signed: string[] = []
      for (const { psbtBase64, inputsToSign } of requests)
        signed.push(await wallet.signPsbt(psbtBase64, inputsToSign))
      return signed
    }
    return {
      ordinalsAddress: wallet.ordinalsAddress,
      paymentAddress: wallet.paymentAddress,
      ordinalsPublicKey: wallet.ordinalsPublicKey,
      paymentPublicKey: wallet.paymentPublicKey,
      ordinalsScript: wallet.ordinalsScript,
      paymentScript: wallet.paymentScript,
      signMessage: (address, message) => wallet.signMessage(address, message),
      signPsbt: async (psbtBase64, inputsToSign) => (await signPsbts([{ psbtBase64, inputsToSign }]))[0]!,
      signPsbts,
    }
  }

  /** Returns inscriptions and their coins as the market reports them. Proves the coins by the node, and prints which are unproven. */
  async items(ids: readonly string[]): Promise<Item[]> {
    const slugs = new Map<string, string | null>()
    for (let at = 0; at < ids.length; at += 20) {
      const inscriptionIds = ids.slice(at, at + 20).join(',')
      const { items } = await this.client.call('listItems', { query: { inscriptionIds } })
      for (const item of items) slugs.set(item.inscriptionId, item.collectionSlug)
    }
    const items: Item[] = []
    for (const [n, inscriptionId] of ids.entries()) {
      if (this.node && ids.length > 1) this.out.progress(`proving ${n + 1} of ${ids.length} coins`)
      items.push(await this.item(inscriptionId, slugs.get(inscriptionId) ?? null))
    }
    return items
  }

  private async item(inscriptionId: string, slug: string | null): Promise<Item> {
    const { name, outpoint, satOffset, escrow } = await this.client.call('getInscription', {
      params: { id: inscriptionId },
    })
    if (!outpoint) throw new Failure('nowhere', `the market reports no coin for ${name} (${inscriptionId})`)
    const location = { ...outpoint, offset: satOffset ?? 0 }
    const { coin, unproven } = await proveItem(this, inscriptionId, location)
    if (unproven !== null) this.out.note(`unproven coin of ${inscriptionId}: ${unproven}`)
    const at = formatOutpoint(coin)
    this.located.set(at, [...(this.located.get(at) ?? []), { inscriptionId, offset: coin.offset }])
    return { inscriptionId, name, slug, coin, escrowForm: escrow?.escrowForm ?? null }
  }

  locate(coin: Outpoint, contents: readonly LocatedInscription[]): void {
    this.located.set(formatOutpoint(coin), [...contents])
  }

  /** Returns the wallet's inscriptions in a coin and the coin's address as the market reports them, or null. */
  async holdingsIn(coin: Outpoint): Promise<{ address: string; inscriptionIds: string[] } | null> {
    const { wallet } = await this.own()
    for (const address of new Set([wallet.ordinalsAddress, wallet.paymentAddress])) {
      const holdings = await readPages(
        (from) => this.client.call('listHoldings', { params: { address }, query: { limit: 100, ...from } }),
        (page) => page.holdings,
      )
      const inscriptionIds = holdings
        .filter(({ outpoint }) => formatOutpoint(outpoint) === formatOutpoint(coin))
        .map(({ inscriptionId }) => inscriptionId)
      if (inscriptionIds.length > 0) return { address, inscriptionIds }
    }
    return null
  }

  /** Returns the collection of the items. Throws Failure if there are several. */
  slugOf(items: readonly Item[]): string {
    const [slug, ...more] = new Set(items.map((item) => item.slug))
    if (!slug) throw new Failure('not-traded', 'an inscription is not in a collection of this market')
    if (more.length > 0)
      throw new Failure(
        'several-collections',
        'the inscriptions are in several collections: trade one collection at a time',
      )
    return slug
  }

  /** Adds a question to confirm before the first signature. */
  doubt(text: string): void {
    this.doubts.push(text)
  }

  /** Adds a question for each price that differs a lot from the floor or the last sale. */
  async checkPrices(side: 'sell' | 'buy' | 'bid', slug: string, prices: readonly number[]): Promise<void> {
    const { floorSats } = await this.client.call('getCollection', { params: { slug } })
    const { sales } = await this.client.call('listSales', { query: { collectionSlug: slug, limit: 1 } })
    const market = { floorSats, lastSaleSats: sales[0]?.priceSats ?? null }
    if (market.floorSats === null && market.lastSaleSats === null)
      this.out.note(`${slug} has neither a floor nor a sale to compare the price with`)
    this.doubts.push(...new Set(prices.flatMap((priceSats) => doubtsAbout(side, priceSats, market))))
  }
}
