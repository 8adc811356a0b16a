import { ByHand } from '../wallet/by-hand-dialog.tsx'
import { StillWaiting } from '../wallet/still-waiting.tsx'
import { ReviewDialog } from './review.tsx'
import { UnsentExit } from './unsent-exit.tsx'

export default function SigningDialogs() {
  return (
    <>
      <ReviewDialog />
      <ByHand />
      <StillWaiting />
      <UnsentExit />
    </>
  )
}
