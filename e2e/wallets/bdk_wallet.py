"""Signs a PSBT as a BDK wallet with a BIP-86 descriptor does: seed in hex and PSBT in base64 in, one line out."""

import sys
import bdkpython as bdk

command, seed, *rest = sys.argv[1:]
network = bdk.Network.REGTEST
kind = bdk.NetworkKind.TEST
mnemonic = bdk.Mnemonic.from_entropy(bytes.fromhex(seed))
root = bdk.DescriptorSecretKey(kind, mnemonic, None)
external = bdk.Descriptor.new_bip86(root, bdk.KeychainKind.EXTERNAL, kind)
internal = bdk.Descriptor.new_bip86(root, bdk.KeychainKind.INTERNAL, kind)
wallet = bdk.Wallet(external, internal, network, bdk.Persister.new_in_memory())
wallet.reveal_next_address(bdk.KeychainKind.EXTERNAL)

if command == "describe":
    secret = root.derive(bdk.DerivationPath("m/86h/1h/0h/0/0"))
    extended = str(secret.as_public())
    origin, key = extended[1:].split("]")
    number = 0
    for character in key.split("/")[0]:
        number = number * 58 + "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".index(character)
    print(origin[:8], number.to_bytes(82, "big")[46:78].hex(), secret.secret_bytes().hex())
else:
    psbt = bdk.Psbt(rest[0])
    options = bdk.SignOptions(
        trust_witness_utxo=True,
        assume_height=None,
        allow_all_sighashes=True,
        try_finalize=False,
        sign_with_tap_internal_key=True,
        allow_grinding=True,
    )
    wallet.sign(psbt, options)
    print(psbt.serialize())
