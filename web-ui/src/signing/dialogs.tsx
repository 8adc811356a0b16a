import { ByHand } from '../wallet/by-hand-dialog.tsx'
import { WaitingNotice } from '../wallet/waiting-notice.tsx'
import { ReviewDialog } from './review-dialog.tsx'
import { UnsentExit } from './unsent-exit.tsx'

export default function SigningDialogs() {
  return (
    <>
      <ReviewDialog />
      <ByHand />
      <WaitingNotice />
      <UnsentExit />
    </>
  )
}
