import { kindOfScript } from '@ordbook/bitcoin/address.ts'
import {
  at,
  dueOf,
  type Exchange,
  type Liar,
  type Lie,
  nameOf,
  type Step,
  signingIndexesOf,
  stepsOf,
} from '../exchange.ts'
import { decodePsbt, edited } from '../psbt.ts'

const ALL = 1
const OTHERS = [0, ALL, 2, 3, 0x81, 0x82, 0x83]
const sameAs = (a: number, b: number) => a === b || (a <= ALL && b <= ALL)

/** Lies about the inputs, sighash types and keys in the signing request. */
export function* liesAboutRequests({ answer }: Exchange, liar: Liar): Generator<Lie> {
  for (const { path, step } of stepsOf(answer)) {
    const where = nameOf(path)
    const lie = (name: string, tell: (step: Step) => void): Lie => ({
      name: `${where} ${name}`,
      family: 'requests',
      tell: (told) => void tell(at(told, path)),
    })
    const psbt = decodePsbt(step.psbtBase64)
    const requestedInputs = signingIndexesOf(step)
    yield lie('asks for no input', (told) => void told.inputsToSign.splice(0))
    yield lie('names another signer', (told) => {
      told.signerAddress = liar.address
    })
    for (const [i] of psbt.inputs.entries()) {
      if (requestedInputs.includes(i)) continue
      yield lie(`also requests input ${i}`, (told) => void told.inputsToSign[0]!.signingIndexes.push(i))
      yield lie(`also requests input ${i} in a separate entry`, (told) => {
        told.inputsToSign.push({ ...structuredClone(told.inputsToSign[0]!), signingIndexes: [i] })
      })
      yield lie(`requests input ${i} instead`, (told) => {
        told.inputsToSign[0]!.signingIndexes = [i]
      })
    }
    yield lie(
      'asks for an input that is not there',
      (told) => void told.inputsToSign[0]!.signingIndexes.push(psbt.inputs.length),
    )
    for (const [n, entry] of step.inputsToSign.entries()) {
      const due = entry.sigHash ?? 0
      for (const sighash of OTHERS.filter((each) => !sameAs(each, due)))
        yield lie(`requests sighash ${sighash} in entry ${n}`, (told) => {
          told.inputsToSign[n]!.sigHash = sighash
        })
      for (const sighash of [0x82, 0x83].filter((each) => !sameAs(each, due)))
        yield lie(`requests entry ${n} again with sighash ${sighash}`, (told) => {
          told.inputsToSign.push({ ...structuredClone(entry), sigHash: sighash })
        })
      yield lie(`names the liar's address in entry ${n}`, (told) => {
        told.inputsToSign[n]!.address = liar.address
      })
      yield lie(`names the liar's key in entry ${n}`, (told) => {
        told.inputsToSign[n]!.publicKey = `02${Buffer.from(liar.key).toString('hex')}`
      })
      const { ordinals, payment } = liar.victim
      if (ordinals.address !== payment.address) {
        const other = entry.address === ordinals.address ? payment : ordinals
        yield lie(`names the wallet's other address in entry ${n}`, (told) => {
          Object.assign(told.inputsToSign[n]!, { address: other.address, publicKey: other.publicKey })
        })
      }
      if (entry.disableTweakSigner !== undefined)
        yield lie(`inverts the tweak flag of entry ${n}`, (told) => {
          told.inputsToSign[n]!.disableTweakSigner = !entry.disableTweakSigner
        })
    }
  }
}

/** Lies about sighash types, in the PSBT alone or also in the signing request. */
export function* liesAboutSighashes({ answer }: Exchange): Generator<Lie> {
  for (const { path, step } of stepsOf(answer)) {
    const psbt = decodePsbt(step.psbtBase64)
    for (const i of signingIndexesOf(step)) {
      const due = dueOf(step, i)
      const taproot = kindOfScript(psbt.inputs[i]!.witnessUtxo!.script) === 'p2tr'
      for (const sighash of OTHERS.filter((each) => !sameAs(each, due))) {
        if (sighash === 0 && !taproot) continue
        const inPsbt = (told: Step) => {
          told.psbtBase64 = edited(told.psbtBase64, ({ inputs }) => {
            inputs[i]!.sighashType = sighash
          })
        }
        const name = `${nameOf(path)} asks in its PSBT for sighash ${sighash} of input ${i}`
        yield { name, family: 'sighashes', tell: (told) => void inPsbt(at(told, path)) }
        yield {
          name: `${name}, also in the signing request`,
          family: 'sighashes',
          tell: (told) => {
            const changed: Step = at(told, path)
            inPsbt(changed)
            for (const entry of changed.inputsToSign)
              if (entry.signingIndexes.includes(i)) entry.sigHash = sighash
            return undefined
          },
        }
      }
    }
  }
}
