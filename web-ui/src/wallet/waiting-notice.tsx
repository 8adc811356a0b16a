import { progress as words } from '../strings/progress.ts'
import { Button } from '../ui/basics.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { lateRequest } from './patience.ts'

/** Offers to repeat a pending request. */
export function WaitingNotice() {
  const late = lateRequest.use()
  if (!late) return null
  return (
    <Sheet open title={`${late.wallet} has not responded`} onClose={late.stop}>
      <p className="mb-4 text-sm text-soft">{words.notAnswered}</p>
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={late.stop}>Stop waiting</Button>
        <Button kind="main" onClick={late.askAgain}>
          Try again
        </Button>
      </div>
    </Sheet>
  )
}
