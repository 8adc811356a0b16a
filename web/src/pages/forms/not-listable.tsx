import { useSeparate } from '@ordbook/web-ui/signing/act.tsx'
import { split } from '@ordbook/web-ui/strings/split.ts'
import { ticket } from '@ordbook/web-ui/strings/trade.ts'
import { Button } from '@ordbook/web-ui/ui/basics.tsx'

/** Why the market would not list an item. If other contents of its coin are the reason, the coin can be separated. */
export function NotListable({ inscriptionId, code }: { inscriptionId: string; code: string }) {
  const separate = useSeparate()
  return (
    <p className="grid justify-items-start gap-2 text-small text-down">
      {ticket.refused(code)}
      {code === 'inscription-coin-shared' && (
        <Button onClick={() => separate(inscriptionId)}>{split.separate}</Button>
      )}
    </p>
  )
}
