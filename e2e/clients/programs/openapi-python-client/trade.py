"""Calls all reads, then lists, buys, makes an offer that is accepted, and a collection offer that is filled. The parent process has the
keys: it signs, and returns the coins."""

import json
import sys

from ordbook_client import AuthenticatedClient, Client
from ordbook_client import models as m
from ordbook_client.api.authentication import create_auth_challenge, verify_auth_challenge
from ordbook_client.api.buying import preflight_purchase, submit_purchase
from ordbook_client.api.collections import list_collection_floor_stats, list_collection_inscriptions
from ordbook_client.api.listings import list_listings, preflight_listing, submit_listing
from ordbook_client.api.offers import (
    list_collection_offer_book,
    list_inscription_offer_history,
    list_inscription_offers,
    list_my_offers,
    list_my_sent_collection_offers,
    preflight_collection_offer,
    preflight_collection_offer_fill,
    preflight_collection_wide_offer,
    preflight_offer_acceptance,
    preview_collection_offer_replacement_warning,
    preview_collection_offer_target,
    submit_collection_offer,
    submit_collection_offer_fill,
    submit_collection_wide_offer,
    submit_offer_acceptance,
)
from ordbook_client.api.p2p_proposals import list_trade_proposals
from ordbook_client.api.profile import get_me
from ordbook_client.api.sales import list_sales


def ask(**question):
    print(json.dumps(question), flush=True)
    return json.loads(sys.stdin.readline())


def done(answer):
    """Return the parsed response of a call."""
    if answer.status_code != 200 or answer.parsed is None:
        raise SystemExit(f"{answer.status_code}: {answer.content.decode()}")
    return answer.parsed


class Trader:
    def __init__(self, base, keys):
        self.keys = keys
        client = Client(base_url=base)
        request = m.AuthChallengeRequest(keys["ordinalsAddress"], keys["paymentAddress"])
        begun = done(create_auth_challenge.sync_detailed(client=client, body=request))
        verifications = [
            m.Verification(
                each.challenge_id,
                ask(ask="message", who=keys["name"], address=each.address, message=each.message)["signature"],
                each.address,
            )
            for each in begun.challenges
        ]
        request = m.AuthVerifyRequest(begun.auth_request_id, verifications)
        session = done(verify_auth_challenge.sync_detailed(client=client, body=request))
        self.client = AuthenticatedClient(base_url=base, token=session.session_token)
        self.binding = session.wallet_bindings[0].wallet_binding_id

    def coins(self):
        coins = ask(ask="coins", who=self.keys["name"])["coins"]
        return [m.SpendableUtxo.from_dict(coin) for coin in coins]

    def signed(self, step, kind):
        """Return a signed step in the form for the submit."""
        said = step.to_dict()
        answer = ask(
            ask="sign",
            who=self.keys["name"],
            psbtBase64=said["psbtBase64"],
            inputsToSign=said["inputsToSign"],
        )
        return kind.from_dict({**said, **answer})

    def read(self, slug, inscription_id):
        def call(operation, *arguments, **parameters):
            answer = operation.sync_detailed(*arguments, client=self.client, **parameters)
            ask(ask="read", answer=done(answer).to_dict())

        call(get_me)
        call(list_collection_floor_stats, slugs=slug)
        call(list_collection_inscriptions, slug)
        call(list_listings)
        call(list_sales)
        call(list_trade_proposals)
        call(list_inscription_offers, inscription_id)
        call(list_inscription_offer_history, inscription_id)
        for view in m.ListMyOffersView:
            call(list_my_offers, view=view)
        call(list_collection_offer_book, slug)
        call(list_my_sent_collection_offers, slug)
        target = m.TraitsTarget("traits", [m.TraitGroup("Hat", ["Cap"])])
        preview = m.CollectionWideOfferTargetPreviewRequest(target)
        call(preview_collection_offer_target, slug, body=preview)
        warning = m.CollectionWideOfferReplacementWarningRequest(self.binding, m.AllTarget("all"), 20_000)
        call(preview_collection_offer_replacement_warning, slug, body=warning)

    def list(self, slug, inscription_id):
        request = {
            "wallet_binding_id": self.binding,
            "ordinals_public_key": self.keys["ordinalsPublicKey"],
            "items": [m.ListingRequestItem(inscription_id, 50_000)],
        }
        prepared = done(
            preflight_listing.sync_detailed(
                slug, client=self.client, body=m.ListingPreflightRequest(**request)
            )
        )
        body = m.ListingSubmitRequest(
            **request,
            duration_days=m.ListingSubmitRequestDurationDays(7),
            anchors=[m.ListingAnchor(each.inscription_id, each.anchor_utxo_id) for each in prepared.listings],
            signed=[
                m.SignedListing(
                    each.inscription_id, [self.signed(step, m.SignedListingPsbtStep) for step in each.psbts]
                )
                for each in prepared.listings
            ],
            signed_recovery_psbt=self.signed(prepared.recovery_psbt, m.SignedRecoveryPsbt),
        )
        done(submit_listing.sync_detailed(slug, client=self.client, body=body))

    def buy(self, slug, inscription_id):
        book = done(list_listings.sync_detailed(client=self.client, inscription_id=inscription_id))
        request = {
            "wallet_binding_id": self.binding,
            "payment_public_key": self.keys["paymentPublicKey"],
            "listings": [m.PurchaseListing(book.listings[0].listing_id, inscription_id)],
            "spendable_utxos": self.coins(),
        }
        prepared = done(
            preflight_purchase.sync_detailed(
                slug, client=self.client, body=m.PurchasePreflightRequest(**request)
            )
        )
        body = m.PurchaseSubmitRequest(
            **request,
            purchase_anchor_utxo_id=prepared.purchase_anchor_utxo_id,
            selected_payment_utxos=prepared.selected_payment_utxos,
            signed_steps=[self.signed(step, m.SignedPsbtStep) for step in prepared.steps],
        )
        bought = done(submit_purchase.sync_detailed(slug, client=self.client, body=body))
        [item] = prepared.listings
        return {
            "inscriptionId": inscription_id,
            "settlementTxid": bought.settlement_txid,
            "buyerSats": -prepared.total_buyer_cost_sats,
            "sellerSats": item.seller_receive_sats + item.inscription_utxo_value_sats,
        }

    def offer(self, slug, inscription_id):
        request = {
            "wallet_binding_id": self.binding,
            "payment_public_key": self.keys["paymentPublicKey"],
            "inscription_ids": [inscription_id],
            "price_sats": 60_000,
            "spendable_utxos": self.coins(),
        }
        prepared = done(
            preflight_collection_offer.sync_detailed(
                slug, client=self.client, body=m.CollectionOfferPreflightRequest(**request)
            )
        )
        body = m.CollectionOfferSubmitRequest(
            **request,
            selected_payment_utxos=prepared.selected_payment_utxos,
            signed_items=[
                m.SignedItem(
                    inscription_id=item.inscription_id,
                    expected_settlement_txid=item.expected_settlement_txid,
                    signed_steps=[self.signed(step, m.SignedPsbtStep) for step in item.steps],
                )
                for item in prepared.items
            ],
        )
        made = done(submit_collection_offer.sync_detailed(slug, client=self.client, body=body))
        return made.items[0].offer_id, prepared.items[0]

    def accept(self, inscription_id, offer_id):
        request = {
            "wallet_binding_id": self.binding,
            "ordinals_public_key": self.keys["ordinalsPublicKey"],
        }
        prepared = done(
            preflight_offer_acceptance.sync_detailed(
                inscription_id, offer_id, client=self.client, body=m.OfferAcceptPreflightRequest(**request)
            )
        )
        body = m.OfferAcceptSubmitRequest(
            **request,
            target_fee_rate_sat_vb=prepared.target_fee_rate_sat_vb,
            expected_settlement_txid=prepared.expected_settlement_txid,
            expected_payout_txid=prepared.expected_payout_txid,
            signed_steps=[self.signed(step, m.SignedPsbtStep) for step in prepared.steps],
        )
        return done(
            submit_offer_acceptance.sync_detailed(inscription_id, offer_id, client=self.client, body=body)
        )

    def bid(self, slug):
        request = {
            "wallet_binding_id": self.binding,
            "ordinals_public_key": self.keys["ordinalsPublicKey"],
            "payment_public_key": self.keys["paymentPublicKey"],
            "target": m.AllTarget("all"),
            "price_sats": 70_000,
            "spendable_utxos": self.coins(),
        }
        prepared = done(
            preflight_collection_wide_offer.sync_detailed(
                slug, client=self.client, body=m.CollectionWideOfferPreflightRequest(**request)
            )
        )
        body = m.CollectionWideOfferSubmitRequest(
            **request,
            offers=[
                m.SubmitEntry(
                    price_sats=entry.price_sats,
                    selected_payment_utxos=entry.selected_payment_utxos,
                    expected_funding_parent_txid=entry.expected_funding_parent_txid,
                    funding_parent_vout=entry.funding_parent_vout,
                    preflight_token=entry.preflight_token,
                    signed_funding_parent_step=self.signed(entry.funding_parent_step, m.SignedPsbtStep),
                )
                for entry in prepared.offers
            ],
        )
        made = done(submit_collection_wide_offer.sync_detailed(slug, client=self.client, body=body))
        return made.offers[0]

    def fill(self, slug, inscription_id, offer):
        request = {
            "wallet_binding_id": self.binding,
            "ordinals_public_key": self.keys["ordinalsPublicKey"],
            "offer_id": offer.offer_id,
            "inscription_id": inscription_id,
        }
        prepared = done(
            preflight_collection_offer_fill.sync_detailed(
                slug,
                offer.offer_id,
                client=self.client,
                body=m.CollectionWideOfferFillPreflightRequest(**request),
            )
        )
        body = m.CollectionWideOfferFillSubmitRequest(
            **request,
            target_fee_rate_sat_vb=prepared.target_fee_rate_sat_vb,
            expected_settlement_txid=prepared.expected_settlement_txid,
            admission_anchor_utxo_id=prepared.admission_anchor_utxo_id,
            signed_seller_step=self.signed(prepared.seller_step, m.SignedPsbtStep),
        )
        filled = done(
            submit_collection_offer_fill.sync_detailed(slug, offer.offer_id, client=self.client, body=body)
        )
        return {
            "inscriptionId": inscription_id,
            "settlementTxid": filled.settlement_txid,
            "buyerSats": -offer.price_sats,
            "sellerSats": prepared.seller_receive_sats - prepared.estimated_network_fee_sats,
        }


order = json.loads(sys.stdin.readline())
slug, ids = order["slug"], order["ids"]
reads = order["reads"]
Trader(order["base"], reads["reader"]).read(reads["slug"], reads["id"])
seller = Trader(order["base"], order["seller"])
buyer = Trader(order["base"], order["buyer"])
seller.list(slug, ids[0])
bought = buyer.buy(slug, ids[0])
offer_id, terms = buyer.offer(slug, ids[1])
accepted = seller.accept(ids[1], offer_id)
filled = seller.fill(slug, ids[2], buyer.bid(slug))
sold = {
    "inscriptionId": ids[1],
    "settlementTxid": accepted.settlement_txid,
    "buyerSats": -(
        terms.buyer_pay_total_sats + terms.inscription_utxo_value_sats + terms.estimated_network_fee_sats
    ),
    "sellerSats": terms.seller_receive_sats + terms.inscription_utxo_value_sats,
}
print(json.dumps({"settlements": [bought, sold, filled]}), flush=True)
