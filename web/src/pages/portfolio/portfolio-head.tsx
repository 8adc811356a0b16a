import { useRead } from '@ordbook/web-ui/api/client.ts'
import { shortAddress } from '@ordbook/web-ui/format/format.ts'
import type { useSession } from '@ordbook/web-ui/session/session.tsx'
import { portfolio as words } from '@ordbook/web-ui/strings/portfolio.ts'
import { Copyable, Price } from '@ordbook/web-ui/ui/basics.tsx'

type Account = NonNullable<ReturnType<typeof useSession>['account']>

export function PortfolioHead({
  walletBindingId,
  ordinalsAddress,
  paymentAddress,
}: Pick<Account, 'walletBindingId' | 'ordinalsAddress' | 'paymentAddress'>) {
  const coins = useRead('listCoins', { query: { walletBindingId } })
  return (
    <dl className="panel grid grid-cols-2 gap-x-6 gap-y-3 p-4 lg:grid-cols-3">
      <div>
        <dt className="text-caption text-soft">{words.available}</dt>
        <dd>
          {coins.data ? (
            <>
              <Price sats={coins.data.totalSats} className="text-h2" />
              {coins.data.keptBackCount > 0 && (
                <span className="block text-caption text-soft" title={words.keptWhy}>
                  {words.kept(coins.data.keptBackCount)}
                </span>
              )}
            </>
          ) : coins.error ? (
            words.noNode
          ) : (
            words.counting
          )}
        </dd>
      </div>
      <Address label={words.ordinalsAddress} what={words.ordinalsAddressToCopy} address={ordinalsAddress} />
      <Address label={words.paymentAddress} what={words.paymentAddressToCopy} address={paymentAddress} />
    </dl>
  )
}

function Address({ label, what, address }: { label: string; what: string; address: string }) {
  return (
    <div>
      <dt className="text-caption text-soft">{label}</dt>
      <dd>
        <Copyable text={address} shown={shortAddress(address)} what={what} />
      </dd>
    </div>
  )
}
