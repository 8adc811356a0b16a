import { ByHand } from '../wallet/by-hand-dialog.tsx'
import { WaitingNotice } from '../wallet/waiting-notice.tsx'
import { ReviewDialog } from './review-dialog.tsx'
import { UnsentTransaction } from './unsent.tsx'

export default function SigningDialogs() {
  return (
    <>
      <ReviewDialog />
      <ByHand />
      <WaitingNotice />
      <UnsentTransaction />
    </>
  )
}
