//! Calls all reads, lists and buys. The parent process has the keys: it signs, and returns the coins.

use openapi::apis::configuration::Configuration;
use openapi::apis::{authentication_api, buying_api, collections_api, listings_api, offers_api};
use openapi::apis::{p2_p_proposals_api, profile_api, sales_api};
use openapi::models::{self, all_target, listing_submit_request, traits_target};
use serde::{de::DeserializeOwned, Serialize};
use serde_json::{from_value, json, to_value, Value};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn receive() -> Result<Value> {
    let mut line = String::new();
    std::io::stdin().read_line(&mut line)?;
    Ok(serde_json::from_str(&line)?)
}

fn ask(question: Value) -> Result<Value> {
    println!("{question}");
    receive()
}

fn text(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap_or_default().to_string()
}

struct Trader {
    keys: Value,
    client: Configuration,
    binding: uuid::Uuid,
}

impl Trader {
    fn new(order: &Value, keys: &Value) -> Result<Trader> {
        let mut client = Configuration { base_path: text(order, "base"), ..Configuration::new() };
        let request = models::AuthChallengeRequest::new(text(keys, "ordinalsAddress"), text(keys, "paymentAddress"));
        let begun = authentication_api::create_auth_challenge(&client, request)?;
        let mut verifications = Vec::new();
        for each in begun.challenges {
            let question = json!({ "ask": "message", "who": keys["name"], "address": each.address, "message": each.message });
            let signature = text(&ask(question)?, "signature");
            verifications.push(models::Verification::new(each.challenge_id, signature, each.address));
        }
        let request = models::AuthVerifyRequest::new(begun.auth_request_id, verifications);
        let session = authentication_api::verify_auth_challenge(&client, request)?;
        client.bearer_access_token = Some(session.session_token);
        Ok(Trader { keys: keys.clone(), client, binding: session.wallet_bindings[0].wallet_binding_id })
    }

    /// Returns a signed step in the form for the submit.
    fn signed<Step: Serialize, Signed: DeserializeOwned>(&self, step: &Step) -> Result<Signed> {
        let mut said = to_value(step)?;
        let answer = ask(json!({
            "ask": "sign", "who": self.keys["name"], "psbtBase64": said["psbtBase64"], "inputsToSign": said["inputsToSign"],
        }))?;
        said["psbtBase64"] = answer["psbtBase64"].clone();
        Ok(from_value(said)?)
    }

    fn read(&self, slug: &str, id: &str) -> Result<()> {
        let client = &self.client;
        report(profile_api::get_me(client)?)?;
        report(collections_api::list_collection_floor_stats(client, slug)?)?;
        report(collections_api::list_collection_inscriptions(client, slug, None, None, None)?)?;
        report(listings_api::list_listings(client, None, None, None, None, None, None)?)?;
        report(sales_api::list_sales(client, None, None, None)?)?;
        report(p2_p_proposals_api::list_trade_proposals(client, None, None, None)?)?;
        report(offers_api::list_inscription_offers(client, id)?)?;
        report(offers_api::list_inscription_offer_history(client, id, None)?)?;
        for view in ["owned", "sent", "history"] {
            report(offers_api::list_my_offers(client, Some(view), None)?)?;
        }
        report(offers_api::list_collection_offer_book(client, slug)?)?;
        report(offers_api::list_my_sent_collection_offers(client, slug)?)?;
        let hats = vec![models::TraitGroup::new("Hat".to_string(), vec!["Cap".to_string()])];
        let target = models::TraitsTarget::new(traits_target::Kind::Traits, hats);
        let preview = models::CollectionWideOfferTargetPreviewRequest::new(
            models::CollectionOfferTarget::TraitsTarget(Box::new(target)),
        );
        report(offers_api::preview_collection_offer_target(client, slug, preview)?)?;
        let all = models::AllTarget::new(all_target::Kind::All);
        let warning = models::CollectionWideOfferReplacementWarningRequest::new(
            self.binding,
            models::CollectionOfferTarget::AllTarget(Box::new(all)),
            20_000,
        );
        report(offers_api::preview_collection_offer_replacement_warning(client, slug, warning)?)
    }

    fn list(&self, slug: &str, id: &str) -> Result<()> {
        let key = text(&self.keys, "ordinalsPublicKey");
        let items = vec![models::ListingRequestItem::new(id.to_string(), 50_000)];
        let request = models::ListingPreflightRequest::new(self.binding, key.clone(), items.clone());
        let prepared = listings_api::preflight_listing(&self.client, slug, request, None)?;
        let (mut anchors, mut signed) = (Vec::new(), Vec::new());
        for each in &prepared.listings {
            anchors.push(models::ListingAnchor::new(each.inscription_id.clone(), each.anchor_utxo_id));
            let psbts = each.psbts.iter().map(|step| self.signed(step)).collect::<Result<_>>()?;
            signed.push(models::SignedListing::new(each.inscription_id.clone(), psbts));
        }
        let recovery = self.signed(&prepared.recovery_psbt)?;
        let mut request = models::ListingSubmitRequest::new(self.binding, key, items, anchors, signed, recovery);
        request.duration_days = Some(listing_submit_request::DurationDays::Variant7);
        listings_api::submit_listing(&self.client, slug, request, None)?;
        Ok(())
    }

    fn buy(&self, slug: &str, id: &str) -> Result<Value> {
        let book = listings_api::list_listings(&self.client, None, None, None, None, Some(id), None)?;
        let listings = vec![models::PurchaseListing::new(book.listings[0].listing_id, id.to_string())];
        let coins = ask(json!({ "ask": "coins", "who": self.keys["name"] }))?["coins"].take();
        let coins: Vec<models::SpendableUtxo> = from_value(coins)?;
        let key = text(&self.keys, "paymentPublicKey");
        let mut request = models::PurchasePreflightRequest::new(self.binding, key.clone(), listings.clone());
        request.spendable_utxos = Some(coins.clone());
        let prepared = buying_api::preflight_purchase(&self.client, slug, request, None)?;
        let steps = prepared.steps.iter().map(|step| self.signed(step)).collect::<Result<_>>()?;
        let mut request = models::PurchaseSubmitRequest::new(
            self.binding,
            key,
            listings,
            prepared.purchase_anchor_utxo_id,
            prepared.selected_payment_utxos,
            steps,
        );
        request.spendable_utxos = Some(coins);
        let bought = buying_api::submit_purchase(&self.client, slug, request, None)?;
        let item = &prepared.listings[0];
        Ok(json!({
            "inscriptionId": id,
            "settlementTxid": bought.settlement_txid,
            "buyerSats": -prepared.total_buyer_cost_sats,
            "sellerSats": item.seller_receive_sats + item.inscription_utxo_value_sats,
        }))
    }
}

/// Sends the parsed response of a read to the parent process.
fn report<Answer: Serialize>(answer: Answer) -> Result<()> {
    ask(json!({ "ask": "read", "answer": answer }))?;
    Ok(())
}

fn main() -> Result<()> {
    let order = receive()?;
    let reads = &order["reads"];
    Trader::new(&order, &reads["reader"])?.read(&text(reads, "slug"), &text(reads, "id"))?;
    let (slug, id) = (text(&order, "slug"), order["ids"][0].as_str().unwrap_or_default());
    Trader::new(&order, &order["seller"])?.list(&slug, id)?;
    let bought = Trader::new(&order, &order["buyer"])?.buy(&slug, id)?;
    println!("{}", json!({ "settlements": [bought] }));
    Ok(())
}
