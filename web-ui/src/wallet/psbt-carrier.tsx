import { base64OfBytes, bytesOfBase64 } from '@ordbook/bitcoin/bytes.ts'
import { useMemo, useState } from 'react'
import { Button, Field, INPUT } from '../ui/basics.tsx'
import { download } from '../ui/download.ts'
import { CodeScanner } from './code-scanner.tsx'
import { PsbtCodes } from './psbt-codes.tsx'
import { PsbtReader } from './psbt-reader.ts'

/** Transfers a PSBT as file, QR codes or text. */
export function PsbtCarrier({
  psbtBase64,
  name,
  onSigned,
}: {
  psbtBase64: string
  name: string
  onSigned(psbtBase64: string): void
}) {
  const bytes = useMemo(() => bytesOfBase64(psbtBase64)!, [psbtBase64])
  const [codes, setCodes] = useState<'shown' | 'scanned' | null>(null)
  const toggle = (to: 'shown' | 'scanned') => setCodes(codes === to ? null : to)
  return (
    <>
      <div className="flex flex-wrap gap-2">
        <Button kind="main" onClick={() => download(name, bytes)}>
          Download {name}
        </Button>
        <Button onClick={() => void navigator.clipboard.writeText(psbtBase64)}>Copy as base64</Button>
        <Button aria-pressed={codes === 'shown'} onClick={() => toggle('shown')}>
          Show as QR codes
        </Button>
        <Button aria-pressed={codes === 'scanned'} onClick={() => toggle('scanned')}>
          Scan the signed PSBT
        </Button>
      </div>
      {codes === 'shown' && <PsbtCodes psbt={bytes} />}
      {codes === 'scanned' && (
        <CodeScanner
          startReader={() => new PsbtReader()}
          other="This code is not a PSBT in BBQr or UR format. Choose one of these formats in the wallet."
          instead="upload the signed file"
          onDone={onSigned}
        />
      )}
      <label className="grid gap-1.5 text-sm">
        <span className="font-medium">Signed file</span>
        <input
          type="file"
          accept=".psbt,.txt,application/octet-stream"
          className="text-soft file:mr-3 file:min-h-10 file:rounded-lg file:border file:border-edge file:bg-surface file:px-4 file:text-sm file:font-medium file:text-ink hover:file:bg-raised"
          onChange={async (event) => {
            const file = event.target.files?.[0]
            if (!file) return
            const content = new Uint8Array(await file.arrayBuffer())
            const isBinary = content[0] === 0x70 && content[4] === 0xff
            onSigned(isBinary ? base64OfBytes(content) : new TextDecoder().decode(content).trim())
          }}
        />
      </label>
      <Answer label="Or the signed PSBT as base64" onAnswer={onSigned} />
    </>
  )
}

export function Answer({ label, onAnswer }: { label: string; onAnswer(text: string): void }) {
  const [text, setText] = useState('')
  return (
    <form
      className="grid gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        onAnswer(text.trim())
      }}
    >
      <Field label={label}>
        <textarea
          value={text}
          onChange={(event) => setText(event.target.value)}
          rows={4}
          required
          className={`${INPUT} py-2 font-mono text-xs`}
        />
      </Field>
      <Button kind="main" type="submit" disabled={text.trim() === ''}>
        Continue
      </Button>
    </form>
  )
}
