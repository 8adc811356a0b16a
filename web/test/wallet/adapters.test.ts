import { randomBytes } from 'node:crypto'
import { bytesToHex, equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { demoWallets } from '@ordbook/sdk/demo-wallets.ts'
import { LocalWallet } from '@ordbook/sdk/wallet.ts'
import { browserWallets } from '@ordbook/sdk/wallets/browser-wallets.ts'
import { MATRIX } from '@ordbook/sdk/wallets/matrix.ts'
import { examineWallet } from '@ordbook/sdk/wallets.ts'
import { expect, it } from 'vitest'
import { sampled } from '../../../e2e/support/effort.ts'
import { freshWallet, listAll, setUpMarket, until } from '../../../e2e/support/market.ts'
import { violations } from '../support/axe.ts'
import { setUpBrowser, type Visitor } from '../support/browser.ts'
import { SIGNERS, signingBy } from '../support/signers.ts'
import { HAS_ONE_ADDRESS, kindOf, type WalletKind } from '../support/wallets.ts'

/** Signs in, lists, delists and buys with every wallet in a real browser, against a fake of its documented provider. */
const market = setUpMarket({ TEST_WALLETS: 'on' })
const browser = setUpBrowser()

/** Returns a wallet with one taproot address or two addresses, depending on the kind. */
function walletFor(kind: WalletKind): LocalWallet {
  if (!HAS_ONE_ADDRESS.has(kind)) return freshWallet()
  const key = new Uint8Array(randomBytes(32))
  return new LocalWallet({ ordinals: key, payment: key }, { network: 'regtest', paymentKind: 'p2tr' })
}

async function funded(wallet: LocalWallet): Promise<LocalWallet> {
  const coin = { valueSats: 2_000_000, script: wallet.paymentScript }
  await market.regtest.pay([coin, coin])
  await market.mine()
  return wallet
}

async function list(visitor: Visitor, id: string, price: string): Promise<void> {
  await visitor.go(`/inscription/${id}`)
  await visitor.page.getByRole('button', { name: 'List for sale' }).click()
  await visitor.page.getByLabel('Price in BTC').fill(price)
  await visitor.page.getByRole('button', { name: /^List for \d/ }).click()
  await visitor.confirm()
  await visitor.told(/Listed for/)
}

async function buy(visitor: Visitor, id: string): Promise<void> {
  await visitor.go(`/inscription/${id}`)
  await visitor.page.getByRole('button', { name: 'Buy now' }).click()
  await visitor.confirm()
  await visitor.told(/Bought in/)
  await market.mine()
}

async function assertHeld(id: string, wallet: LocalWallet): Promise<void> {
  const out = await market.server.context.node.txOut(await market.coinOf(id))
  expect(out && equalBytes(out.script, wallet.ordinalsScript)).toBe(true)
}

const isTested = (id: string) => MATRIX.some(({ adapter }) => adapter === id)

/** Signs in with a wallet that the project has not tested. The dialog offers a test, which the wallet passes. */
async function testAndSignIn({ page, asked }: Visitor, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Connect wallet', exact: true }).first().click()
  await page
    .getByRole('dialog', { name: 'Connect wallet' })
    .getByRole('button', { name: new RegExp(`^${name} Not tested`) })
    .click()
  const dialog = page.getByRole('dialog', { name: `Connect ${name}` })
  expect(asked).toEqual([])
  await dialog.getByRole('button', { name: 'Test this wallet' }).click()
  await dialog.getByText(`${name} can sign all trades on this market.`).waitFor()
  await dialog.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.locator('[data-account]').waitFor()
}

it('shows why a wallet failed its test', async () => {
  const visitor = await browser.visitor(market.server.url, { wallet: freshWallet(), kind: 'phantom' })
  const { page } = visitor
  await visitor.go('/')
  await page.evaluate(`{
    const { bitcoin } = window.phantom
    const sign = bitcoin.signPSBT
    bitcoin.signPSBT = (psbt, options) =>
      options.inputsToSign.some(({ sigHash }) => sigHash === 131)
        ? Promise.reject(new Error('Sighash 131 is not allowed'))
        : sign(psbt, options)
  }`)
  const open = () => page.getByRole('button', { name: 'Connect wallet', exact: true }).first().click()
  await open()
  await page.getByRole('button', { name: 'Test Phantom' }).click()
  await page.getByRole('button', { name: 'Test this wallet' }).click()
  await page.getByText('Phantom cannot list, delist: Sighash 131 is not allowed.').waitFor()
  await page.getByRole('button', { name: 'Close' }).click()
  await page.reload()
  await open()
  await page.getByText('Phantom cannot list, delist: Sighash 131 is not allowed.').waitFor()
  await page.getByRole('button', { name: /^Phantom/ }).click()
  await page.locator('[data-account]').waitFor()
  visitor.assertQuiet()
  await visitor.close()
})

/** One wallet with one address and one with two in the shortest run. */
const WALLETS = sampled(
  browserWallets,
  browserWallets,
  [true, false].map((one) => browserWallets.find(({ id }) => HAS_ONE_ADDRESS.has(kindOf(id)) === one)!),
)

it.each(WALLETS)('$name signs in, lists, delists, and buys', async ({ id, name }) => {
  const kind = kindOf(id)
  const wallet = await funded(walletFor(kind))
  const other = await market.trader()
  const own = await market.collection(wallet, 1)
  const theirs = await market.collection(other.wallet, 1)
  const visitor = await browser.visitor(market.server.url, { wallet, kind })
  await visitor.go('/')
  if (isTested(id)) await visitor.signIn(name)
  else await testAndSignIn(visitor, name)
  await list(visitor, own.ids[0]!, '0.001')
  await visitor.page.reload()
  await visitor.page.getByRole('button', { name: 'Delist' }).click()
  await visitor.told(/no longer for sale/)
  await listAll(market, other, theirs.slug, theirs.ids, 50_000)
  await buy(visitor, theirs.ids[0]!)
  await assertHeld(theirs.ids[0]!, wallet)
  visitor.assertQuiet()
  await visitor.close()
})

it('asks to continue with the selected account', async () => {
  const [before, after] = [freshWallet(), freshWallet()]
  const now = { wallet: before }
  const switching = new Proxy(before, {
    get(_, member) {
      const value: unknown = Reflect.get(now.wallet, member)
      return typeof value === 'function' ? value.bind(now.wallet) : value
    },
  })
  const visitor = await browser.visitor(market.server.url, { wallet: switching })
  const { page } = visitor
  const turnTo = async (wallet: LocalWallet) => {
    now.wallet = wallet
    const addresses = [{ purpose: 'ordinals', address: wallet.ordinalsAddress }]
    await page.evaluate(`window.tellAccount(${JSON.stringify(addresses)})`)
  }
  const dialog = page.getByRole('dialog', { name: 'Your wallet switched accounts' })
  const sessionOf = (wallet: LocalWallet) =>
    until('the session', async () => {
      const [, own] = (await page.locator('[data-account]').textContent())?.match(/(\w+)$/) ?? []
      return own && wallet.ordinalsAddress.endsWith(own)
    })
  await visitor.go('/wallet')
  await visitor.signIn()
  await sessionOf(before)
  await until('the page to listen', async () => {
    await turnTo(after)
    return dialog.isVisible()
  })
  await dialog.getByText(after.ordinalsAddress).waitFor()
  expect(await violations(visitor)).toEqual([])
  await turnTo(before)
  await dialog.waitFor({ state: 'hidden' })
  await turnTo(after)
  await dialog.getByRole('button', { name: 'Switch account' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await sessionOf(after)
  visitor.assertQuiet()
  await visitor.close()
})

it('models which wallets sign a leaf', async () => {
  const wallet = freshWallet()
  const outputKey = bytesToHex(wallet.ordinalsScript.slice(2))
  const sales = []
  for (const kind of ['leather', 'xverse', 'unisat', 'phantom'] as const) {
    const double = signingBy(wallet, SIGNERS[kind])
    const { sale } = await examineWallet(Object.assign(double, { ordinalsPublicKey: outputKey }))
    sales.push([kind, sale?.replace(/^.*: /, '') ?? null])
  }
  expect(sales).toEqual([
    ['leather', 'the wallet returned no signature; is another account selected?'],
    ['xverse', null],
    ['unisat', null],
    ['phantom', 'No taproot scripts signed'],
  ])
})

it('offers the demo wallets only on test chains', async () => {
  const visitor = await browser.visitor(market.server.url)
  await visitor.go('/')
  await visitor.signIn('Test wallet 1')
  await visitor.page.locator('[data-account]').click()
  await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await visitor.page.getByRole('button', { name: /copy the payment address/ }).click()
  await visitor.page.getByText('copied').waitFor()
  const copied = await visitor.page.evaluate<string>('navigator.clipboard.readText()')
  expect(copied).toBe(demoWallets('regtest').first.paymentAddress)
  await visitor.page.locator('[popover]').getByRole('link', { name: 'Portfolio' }).click()
  await visitor.page.getByRole('heading', { name: 'Portfolio' }).waitFor()
  await visitor.signOut()
  await visitor.page.getByText('Connect your wallet to see your items').waitFor()
  visitor.assertQuiet()
  await visitor.close()
})

it('shows a message if a wallet declines', async () => {
  const wallet = await funded(freshWallet())
  const visitor = await browser.visitor(market.server.url, { wallet })
  const own = await market.collection(wallet, 1)
  await visitor.go('/')
  await visitor.signIn()
  await visitor.go(`/inscription/${own.ids[0]}`)
  await visitor.page.getByRole('button', { name: 'List for sale' }).click()
  await visitor.page.getByLabel('Price in BTC').fill('0.001')
  await visitor.page.getByRole('button', { name: /^List for \d/ }).click()
  await visitor.page.getByRole('button', { name: 'Cancel' }).click()
  await visitor.told(/^ ?Cancelled\. Nothing was signed\./)
  await visitor.page.evaluate(`{
    const { BitcoinProvider } = window.XverseProviders
    const before = BitcoinProvider.request
    BitcoinProvider.request = async (method, params) =>
      method === 'signPsbt' ? { error: { code: -32000, message: 'User rejected request' } } : before(method, params)
    BitcoinProvider.signMultipleTransactions = () => Promise.reject('cancel')
  }`)
  expect(await visitor.page.getByLabel('Price in BTC').inputValue()).toBe('0.001')
  await visitor.page.getByRole('button', { name: /^List for \d/ }).click()
  await visitor.confirm()
  await visitor.told(/^ ?Cancelled\. Nothing was signed\./)
  const { listings } = await (await market.trader()).client.call('listListings', {
    query: { inscriptionId: own.ids[0]! },
  })
  expect(listings).toEqual([])
  visitor.assertQuiet()
  await visitor.close()
})
