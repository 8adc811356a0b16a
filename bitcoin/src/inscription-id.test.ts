import { expect, it } from 'vitest'
import { bytesOfInscriptionId, inscriptionIdOfBytes } from './inscription-id.ts'

it('inscriptionIdOfBytes does not modify its input', () => {
  const id = `${'00'.repeat(31)}1fi7`
  const bytes = Buffer.from(bytesOfInscriptionId(id))
  expect([inscriptionIdOfBytes(bytes), inscriptionIdOfBytes(bytes)]).toEqual([id, id])
})
