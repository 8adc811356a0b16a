import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BbqrReader, bbqrOf } from '@ordbook/bitcoin/bbqr.ts'
import { base64OfBytes, bytesOfBase64, bytesToHex, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { parseKeyOrigin } from '@ordbook/bitcoin/key-origin.ts'
import { decodePsbt } from '@ordbook/bitcoin/psbt.ts'
import { UrReader, urOf } from '@ordbook/bitcoin/ur.ts'
import { LocalWallet } from '@ordbook/sdk/wallet.ts'
import type { Locator } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { freshWallet, setUpMarket, until } from '../../../e2e/support/market.ts'
import { violations } from '../support/axe.ts'
import { setUpBrowser, type Visitor } from '../support/browser.ts'
import { cameraOf, codeOf, film } from '../support/camera.ts'

const market = setUpMarket()
const directory = mkdtempSync(join(tmpdir(), 'ordbook-camera-'))
const camera = join(directory, 'camera.y4m')
const browser = setUpBrowser(cameraOf(camera))
const wallet = freshWallet()
afterAll(() => rmSync(directory, { recursive: true, force: true }))

async function signIn({ page }: Visitor): Promise<void> {
  await page.getByRole('button', { name: 'Connect wallet', exact: true }).first().click()
  await page.getByRole('button', { name: 'By file or QR code' }).click()
  const asked = page.getByRole('dialog', { name: 'Your addresses' })
  await asked.getByLabel('Ordinals address').fill(wallet.ordinalsAddress)
  await asked.getByLabel('Its public key').first().fill(wallet.ordinalsPublicKey)
  await asked.getByLabel('Payment address').fill(wallet.paymentAddress)
  await asked.getByLabel('Its public key').last().fill(wallet.paymentPublicKey)
  await asked.getByRole('button', { name: 'Continue' }).click()
  for (const address of [wallet.ordinalsAddress, wallet.paymentAddress]) {
    const dialog = page.getByRole('dialog', { name: 'Sign this message' }).filter({ hasText: address })
    const message = await dialog.locator('pre').textContent()
    await dialog.getByLabel('The signature').fill(await wallet.signMessage(address, message!))
    await dialog.getByRole('button', { name: 'Continue' }).click()
  }
  await page.locator('[data-account]').waitFor()
}

/** Starts a listing and stops when the wallet must sign. */
async function startListing() {
  const [id] = (await market.collection(wallet, 1)).ids
  const visitor = await browser.visitor(market.server.url)
  const { page } = visitor
  await visitor.go(`/inscription/${id}`)
  await signIn(visitor)
  await page.getByRole('button', { name: 'List for sale' }).click()
  await page.getByLabel('Price in BTC').fill('0.001')
  await page.getByRole('button', { name: /^List for \d/ }).click()
  await visitor.confirm()
  return { visitor, page, id: id! }
}

const SIGHASHES = [undefined, 131, 1]
const sign = (psbt: string, n: number) => {
  const input = { address: wallet.ordinalsAddress, signingIndexes: [0] }
  return wallet.signPsbt(psbt, [SIGHASHES[n] ? { ...input, sigHash: SIGHASHES[n] } : input])
}

/** Reads the PSBT that the page shows as several QR codes. */
async function readCodes(dialog: Locator): Promise<Uint8Array> {
  await dialog.getByRole('button', { name: 'Show as QR codes' }).click()
  const reader = new BbqrReader()
  return until('all codes', async () => {
    expect(reader.take(await codeOf(dialog.getByRole('img')))).toBe(true)
    expect(reader.count).toBeGreaterThan(1)
    return reader.bytes()
  })
}

it('lists with QR codes, a file and text', async () => {
  const { visitor, page, id } = await startListing()
  const dialogOf = (n: number) => page.getByRole('dialog', { name: `Sign PSBT ${n + 1} of 3` })

  // Read the page's QR codes, then show the wallet's codes to the camera, last first.
  const shown = await readCodes(dialogOf(0))
  expect(await violations(visitor)).toEqual([])
  const codes = bbqrOf(bytesOfBase64(await sign(base64OfBytes(shown), 0))!, 300)
  expect(codes.length).toBeGreaterThan(1)
  film(camera, codes.toReversed())
  await dialogOf(0).getByRole('button', { name: 'Scan the signed PSBT' }).click()

  const downloading = page.waitForEvent('download')
  await dialogOf(1)
    .getByRole('button', { name: /^Download/ })
    .click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe('ordbook-2-of-3.psbt')
  const file = base64OfBytes(readFileSync(await download.path()))
  await dialogOf(1)
    .getByLabel('Signed file')
    .setInputFiles({
      name: 'signed.psbt',
      mimeType: 'application/octet-stream',
      buffer: Buffer.from(await sign(file, 1), 'base64'),
    })

  await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await dialogOf(2).getByRole('button', { name: 'Copy as base64' }).click()
  const copied = await page.evaluate<string>('navigator.clipboard.readText()')
  await dialogOf(2)
    .getByLabel('Or the signed PSBT as base64')
    .fill(await sign(copied, 2))
  await dialogOf(2).getByRole('button', { name: 'Continue' }).click()

  await visitor.told(/Listed for/)
  const { listings } = await (await market.trader()).client.call('listListings', {
    query: { inscriptionId: id },
  })
  expect(listings).toMatchObject([{ priceSats: 100_000 }])
  visitor.assertQuiet()
  await visitor.close()
})

it('explains a wrong code', async () => {
  const { visitor, page } = await startListing()
  const dialog = page.getByRole('dialog', { name: 'Sign PSBT 1 of 3' })
  const scan = dialog.getByRole('button', { name: 'Scan the signed PSBT' })
  film(camera, ['bitcoin:bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu'])
  await scan.click()
  await dialog.getByText('This code is not a PSBT in BBQr or UR format').waitFor()
  await scan.click()
  await page.evaluate(
    `navigator.mediaDevices.getUserMedia = async () => { throw new DOMException('', 'NotFoundError') }`,
  )
  await scan.click()
  expect(await violations(visitor)).toEqual([])
  await dialog.getByText('No camera found: upload the signed file.').waitFor()
  visitor.assertQuiet()
  await visitor.close()
})

describe('hardware wallet', () => {
  const fingerprint = '07f49831'
  const exported = [
    'tr([07f49831/86h/1h/0h]tpubDD7uuDYNNBxDjwsiYcz9NHJ1SmJKWPnCaJpP4gyCnoWn3T8ieuczKNZQxWB9p4ABJLVbAz8sy3kaSLyG8yNLxEsSuqVM3dmmvKyFhARZ4jJ/<0;1>/*)',
    'wpkh([07f49831/84h/1h/0h]tpubDCfMPRTWifjVk5pgPtpreqKUdijFTtdeMGxoGwSA9YavMMugvCtdUxy2hkHmSLwCkZHjFFiVC8nmwvNFHrHM4E1L9dDixjnHJ3LKDKqo9d5/<0;1>/*)',
  ]
  /** Keys with index 5 of these accounts. */
  const device = new LocalWallet(
    {
      ordinals: hexToBytes('2ceae8054b395e8f04a5a4cf318d7b99ef2118c0414487c80f664491f381c8b2'),
      payment: hexToBytes('46e015f20c8f34130a2b414257f32d58597d54ba5d515ae588fce6ca2cbdf45b'),
    },
    { network: 'regtest', paymentKind: 'p2wpkh' },
  )
  const originOf = (purpose: number) => parseKeyOrigin(`${fingerprint}/${purpose}h/1h/0h/0/5`)

  /** Signs input 0. Requires the PSBT's key origin, without which a hardware wallet cannot find its key. */
  function sign(psbt: string): Promise<string> {
    const { tapBip32Derivation = [], bip32Derivation = [], sighashType } = decodePsbt(psbt).inputs[0]!
    const purpose = bip32Derivation.length > 0 ? 84 : 86
    const named = [...bip32Derivation.map(([, der]) => der), ...tapBip32Derivation.map(([, { der }]) => der)]
    expect(named).toEqual([originOf(purpose)])
    const address = purpose === 84 ? device.paymentAddress : device.ordinalsAddress
    return device.signPsbt(psbt, [
      { address, signingIndexes: [0], ...(sighashType === undefined ? {} : { sigHash: sighashType }) },
    ])
  }

  async function copied({ page }: Visitor, dialog: Locator): Promise<string> {
    await page.evaluate(`navigator.clipboard.writeText('')`)
    await dialog.getByRole('button', { name: 'Copy as base64' }).click()
    return until('the clipboard', () => page.evaluate<string>('navigator.clipboard.readText()'))
  }

  /** Reads the PSBT from UR codes, and shows the signed PSBT as UR codes. */
  async function showByUr(dialog: Locator, psbt: string): Promise<void> {
    await dialog.getByRole('button', { name: 'Show as QR codes' }).click()
    await dialog.getByRole('combobox').selectOption('ur')
    const reader = new UrReader()
    const shown = await until('all codes', async () => {
      const text = await codeOf(dialog.getByRole('img'))
      return text.startsWith('UR:') && reader.take(text) ? reader.bytes() : null
    })
    expect(base64OfBytes(shown)).toBe(psbt)
    film(camera, urOf(bytesOfBase64(await sign(psbt))!, 600).toReversed())
    await dialog.getByRole('button', { name: 'Scan the signed PSBT' }).click()
  }

  const bring = async (dialog: Locator, psbt: string) => {
    await dialog.getByLabel('Or the signed PSBT as base64').fill(psbt)
    await dialog.getByRole('button', { name: 'Continue' }).click()
  }

  /** Shows the account to the camera: first only the payment key, then all of it in several codes. */
  async function showAccount(asked: Locator): Promise<void> {
    const scan = asked.getByRole('button', { name: 'Scan the account' })
    const keys = asked.getByLabel('Account keys of your wallet')
    film(camera, [exported[1]!])
    await scan.click()
    await asked.getByText('No taproot key found').waitFor()
    expect(await keys.inputValue()).toBe(exported[1])
    const codes = bbqrOf(new TextEncoder().encode(exported.join('\n')), 200)
    expect(codes.length).toBeGreaterThan(1)
    film(
      camera,
      codes.map((code) => code.replace('B$2P', 'B$2U')),
    )
    await scan.click()
    await until('the account', async () => (await keys.inputValue()) === exported.join('\n'))
  }

  it('lists with a hardware wallet', async () => {
    const [id] = (await market.collection(device, 1)).ids
    const visitor = await browser.visitor(market.server.url)
    const { page } = visitor
    await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await visitor.go(`/inscription/${id}`)
    await page.getByRole('button', { name: 'Connect wallet', exact: true }).first().click()
    await page.getByRole('button', { name: 'By file or QR code' }).click()

    const asked = page.getByRole('dialog', { name: 'Your addresses' })
    const fillIn = asked.getByRole('button', { name: 'Fill in the addresses' })
    await asked.getByLabel('Account keys of your wallet').fill('not an export')
    await fillIn.click()
    await asked.getByText('No account key found').waitFor()
    await asked.getByLabel('Account keys of your wallet').fill('')
    await asked.getByLabel('Address index').fill('5')
    await showAccount(asked)
    await asked.getByText(`${fingerprint}/86h/1h/0h/0/5`).waitFor()
    expect(await asked.getByLabel('Ordinals address').inputValue()).toBe(device.ordinalsAddress)
    expect(await asked.getByLabel('Payment address').inputValue()).toBe(device.paymentAddress)
    expect(await violations(visitor)).toEqual([])
    await asked.getByRole('button', { name: 'Continue', exact: true }).click()

    for (const address of [device.ordinalsAddress, device.paymentAddress]) {
      const dialog = page.getByRole('dialog', { name: 'Sign this message' }).filter({ hasText: address })
      await dialog.getByRole('button', { name: 'Sign as a PSBT instead' }).click()
      await bring(dialog, await sign(await copied(visitor, dialog)))
    }
    await page.locator('[data-account]').waitFor()

    await page.getByRole('button', { name: 'List for sale' }).click()
    await page.getByLabel('Price in BTC').fill('0.001')
    await page.getByRole('button', { name: /^List for \d/ }).click()
    await visitor.confirm()
    for (const n of [1, 2, 3]) {
      const dialog = page.getByRole('dialog', { name: `Sign PSBT ${n} of 3` })
      const psbt = await copied(visitor, dialog)
      if (n === 2) {
        await bring(dialog, damaged(await sign(psbt)))
        await dialog.getByText(/firmware builds on the embit library/).waitFor()
      }
      if (n < 3) await bring(dialog, await sign(psbt))
      else await showByUr(dialog, psbt)
    }
    await visitor.told(/Listed for/)
    visitor.assertQuiet()
    await visitor.close()
  }, 240_000)
})

/** Returns a leg with an invalid signature, as from a device that computes another sighash. */
function damaged(psbt: string): string {
  const hex = bytesToHex(bytesOfBase64(psbt)!)
  const signature = bytesToHex(decodePsbt(psbt).inputs[0]!.tapScriptSig![0]![1])
  return base64OfBytes(hexToBytes(hex.replace(signature, `${'00'.repeat(4)}${signature.slice(8)}`)))
}
