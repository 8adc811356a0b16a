import type { Adapter } from '@ordbook/sdk/wallets/adapter.ts'
import { examineWallet } from '@ordbook/sdk/wallets/doctor.ts'
import { walletOf } from '@ordbook/sdk/wallets/wallet-of.ts'
import { Button } from '../ui/basics.tsx'
import { abilitiesOf, keepTest } from './abilities.ts'
import type { MarketChain } from './connect.ts'

/** Connects a wallet, tests its signatures and stores the result. */
export async function testWallet(found: Adapter, market: MarketChain): Promise<void> {
  const adapter = found.forChain?.(market.chain) ?? found
  const accounts = await adapter.connect(market.addressNetwork)
  keepTest(adapter.id, await examineWallet(walletOf(adapter, accounts, market.addressNetwork)))
}

/** Offers to test an unknown wallet. */
export function WalletTest(props: { adapter: Adapter; isBusy: boolean; test(): void; connect(): void }) {
  const { adapter, isBusy, test, connect } = props
  const { isUntested, cannot } = abilitiesOf(adapter)
  return (
    <div className="grid gap-4 text-sm">
      <p className="text-soft">
        This project cannot test {adapter.name} itself. Your wallet can sign a message and a few test
        transactions, which spend coins that do not exist and can never be broadcast. The result shows which
        trades will work.
      </p>
      {!isUntested && (
        <div role="status" className="grid gap-2">
          {cannot.length === 0 ? (
            <p className="text-up">{adapter.name} can sign all trades on this market.</p>
          ) : (
            <Inabilities adapter={adapter} />
          )}
        </div>
      )}
      <div className="flex flex-wrap justify-end gap-2">
        <Button disabled={isBusy} onClick={test}>
          {isBusy ? 'Waiting for the wallet…' : isUntested ? 'Test this wallet' : 'Test again'}
        </Button>
        <Button kind="main" disabled={isBusy} onClick={connect}>
          {isUntested ? 'Connect without a test' : 'Connect'}
        </Button>
      </div>
    </div>
  )
}

/** Trades that a wallet cannot sign, with the reasons. */
export function Inabilities({ adapter }: { adapter: { id: string; name: string } }) {
  return abilitiesOf(adapter).cannot.map(({ name, flows, reason }) => (
    <p key={name + reason} className="text-xs text-soft">
      {name} cannot {flows}: {reason}.
    </p>
  ))
}
