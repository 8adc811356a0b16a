import { WalletRefused } from '@ordbook/sdk/errors.ts'
import type { SigningRequest } from '@ordbook/sdk/wallet.ts'
import type { Account, Accounts, Adapter } from '@ordbook/sdk/wallets/adapter.ts'
import { accountsIn } from '@ordbook/sdk/wallets/answers.ts'
import { KEPT, store, storedJson } from '../state/stored.ts'

/** Requests to an external wallet, such as a hardware wallet. Implemented by by-hand-dialog.tsx. */
export interface HandWork {
  accounts(): Promise<Accounts>
  message(account: Account, message: string): Promise<string>
  psbt(request: SigningRequest, place: { number: number; of: number }): Promise<string>
}
let handWork: HandWork | null = null
export const setHandWork = (next: HandWork | null) => {
  handWork = next
}

function openDialog(): HandWork {
  if (!handWork) throw new WalletRefused('The dialog for this wallet is not open. Reload the page.')
  return handWork
}

export const byHand: Adapter = {
  id: 'by-hand',
  name: 'By file or QR code',
  url: '',
  isPresent: () => true,
  async connect() {
    const accounts = keptAccounts() ?? (await openDialog().accounts())
    store(KEPT.accountsByHand, JSON.stringify(accounts))
    return accounts
  },
  forget: () => store(KEPT.accountsByHand, null),
  signMessage: (account, message) => openDialog().message(account, message),
  windowsFor: (psbts) => psbts,
  async signPsbts(requests, _, onSigned) {
    const signed: string[] = []
    for (const [n, request] of requests.entries()) {
      signed.push(await openDialog().psbt(request, { number: n + 1, of: requests.length }))
      onSigned?.(n, signed[n]!)
    }
    return signed
  },
}

function keptAccounts(): Accounts | null {
  return storedJson(KEPT.accountsByHand, (value) => accountsIn(value, 'the kept accounts'))
}
