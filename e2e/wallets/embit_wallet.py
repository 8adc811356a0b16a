"""Signs a PSBT as an embit wallet with a BIP-86 key does: seed in hex and PSBT in base64 in, one line out."""

import sys
from embit import bip32
from embit.psbt import PSBT
from embit.transaction import SIGHASH, Transaction

command, *rest = sys.argv[1:]


def root_of(seed):
    return bip32.HDKey.from_seed(bytes.fromhex(seed))


if command == "describe":
    root = root_of(rest[0])
    secret = root.derive("m/86h/1h/0h/0/0")
    print(root.my_fingerprint.hex(), secret.key.get_public_key().sec().hex()[2:], secret.key.secret.hex())
elif command == "sign":
    psbt = PSBT.from_string(rest[1])
    # Each input with the sighash that the PSBT names.
    psbt.sign_with(root_of(rest[0]), sighash=None)
    print(psbt.to_string())
elif command == "sighash":
    transaction, script, value, sighash = rest
    parsed = Transaction.from_string(transaction)
    from embit.script import Script

    print(parsed.sighash_taproot(0, [Script(bytes.fromhex(script))], [int(value)], sighash=int(sighash)).hex())
