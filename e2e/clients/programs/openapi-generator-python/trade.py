"""Calls all reads, lists and buys. The parent process has the keys: it signs, and returns the coins."""

import json
import sys

import openapi_client as m


def ask(**question):
    print(json.dumps(question), flush=True)
    return json.loads(sys.stdin.readline())


class Trader:
    def __init__(self, base, keys):
        self.keys = keys
        client = m.ApiClient(m.Configuration(host=base))
        request = m.AuthChallengeRequest(
            ordinals_address=keys["ordinalsAddress"], payment_address=keys["paymentAddress"]
        )
        authentication = m.AuthenticationApi(client)
        begun = authentication.create_auth_challenge(request)
        verifications = [
            m.Verification(
                challenge_id=each.challenge_id,
                address=each.address,
                **ask(ask="message", who=keys["name"], address=each.address, message=each.message),
            )
            for each in begun.challenges
        ]
        request = m.AuthVerifyRequest(auth_request_id=begun.auth_request_id, verifications=verifications)
        session = authentication.verify_auth_challenge(request)
        client.configuration.access_token = session.session_token
        self.client = client
        self.binding = session.wallet_bindings[0].wallet_binding_id

    def signed(self, step, kind):
        """Return a signed step in the form for the submit."""
        said = json.loads(step.to_json())
        inputs = said["inputsToSign"]
        answer = ask(ask="sign", who=self.keys["name"], psbtBase64=said["psbtBase64"], inputsToSign=inputs)
        return kind.from_dict({**said, **answer})

    def read(self, slug, inscription_id):
        def report(answer):
            ask(ask="read", answer=json.loads(answer.to_json()))

        collections, offers = m.CollectionsApi(self.client), m.OffersApi(self.client)
        report(m.ProfileApi(self.client).get_me())
        report(collections.list_collection_floor_stats(slug))
        report(collections.list_collection_inscriptions(slug))
        report(m.ListingsApi(self.client).list_listings())
        report(m.SalesApi(self.client).list_sales())
        report(m.P2PProposalsApi(self.client).list_trade_proposals())
        report(offers.list_inscription_offers(inscription_id))
        report(offers.list_inscription_offer_history(inscription_id))
        for view in ["owned", "sent", "history"]:
            report(offers.list_my_offers(view=view))
        report(offers.list_collection_offer_book(slug))
        report(offers.list_my_sent_collection_offers(slug))
        hats = m.TraitsTarget(kind="traits", traits=[m.TraitGroup(type="Hat", values=["Cap"])])
        preview = m.CollectionWideOfferTargetPreviewRequest(target=m.CollectionOfferTarget(hats))
        report(offers.preview_collection_offer_target(slug, preview))
        warning = m.CollectionWideOfferReplacementWarningRequest(
            wallet_binding_id=self.binding,
            target=m.CollectionOfferTarget(m.AllTarget(kind="all")),
            price_sats=20_000,
        )
        report(offers.preview_collection_offer_replacement_warning(slug, warning))

    def list(self, slug, inscription_id):
        request = {
            "wallet_binding_id": self.binding,
            "ordinals_public_key": self.keys["ordinalsPublicKey"],
            "items": [m.ListingRequestItem(inscription_id=inscription_id, price_sats=50_000)],
        }
        listings = m.ListingsApi(self.client)
        prepared = listings.preflight_listing(slug, m.ListingPreflightRequest(**request))
        body = m.ListingSubmitRequest(
            **request,
            duration_days=7,
            anchors=[
                m.ListingAnchor(inscription_id=each.inscription_id, anchor_utxo_id=each.anchor_utxo_id)
                for each in prepared.listings
            ],
            signed=[
                m.SignedListing(
                    inscription_id=each.inscription_id,
                    psbts=[self.signed(step, m.SignedListingPsbtStep) for step in each.psbts],
                )
                for each in prepared.listings
            ],
            signed_recovery_psbt=self.signed(prepared.recovery_psbt, m.SignedRecoveryPsbt),
        )
        listings.submit_listing(slug, body)

    def buy(self, slug, inscription_id):
        book = m.ListingsApi(self.client).list_listings(inscription_id=inscription_id)
        listing_id = book.listings[0].listing_id
        coins = ask(ask="coins", who=self.keys["name"])["coins"]
        request = {
            "wallet_binding_id": self.binding,
            "payment_public_key": self.keys["paymentPublicKey"],
            "listings": [m.PurchaseListing(listing_id=listing_id, inscription_id=inscription_id)],
            "spendable_utxos": [m.SpendableUtxo.from_dict(coin) for coin in coins],
        }
        buying = m.BuyingApi(self.client)
        prepared = buying.preflight_purchase(slug, m.PurchasePreflightRequest(**request))
        body = m.PurchaseSubmitRequest(
            **request,
            purchase_anchor_utxo_id=prepared.purchase_anchor_utxo_id,
            selected_payment_utxos=prepared.selected_payment_utxos,
            signed_steps=[self.signed(step, m.SignedPsbtStep) for step in prepared.steps],
        )
        [item] = prepared.listings
        return {
            "inscriptionId": inscription_id,
            "settlementTxid": buying.submit_purchase(slug, body).settlement_txid,
            "buyerSats": -prepared.total_buyer_cost_sats,
            "sellerSats": item.seller_receive_sats + item.inscription_utxo_value_sats,
        }


order = json.loads(sys.stdin.readline())
reads = order["reads"]
Trader(order["base"], reads["reader"]).read(reads["slug"], reads["id"])
slug, [inscription_id] = order["slug"], order["ids"]
Trader(order["base"], order["seller"]).list(slug, inscription_id)
bought = Trader(order["base"], order["buyer"]).buy(slug, inscription_id)
print(json.dumps({"settlements": [bought]}), flush=True)
