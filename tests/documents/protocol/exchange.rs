//! One request and its answer, as an example shows them.

use contract::api::{
    ActiveGame, CommandAnswer, CommandId, DiceSeed, DrawAnswer, DrawOffer, FinishedGames, Guest, Health,
    InvitationLink, Join, LegalMoves, NewGuest, NewInvitation, PlayMove, PopularGames, SocketTicket,
};
use contract::frames::ServerFrame;
use contract::problem::Problem;
use contract::view::GameView;
use serde_json::Value;
use turnstream::http::route::{Answer, Caller, Operation};

use super::decode;

/// A message of HTTP, as text.
struct Message<'a> {
    first: &'a str,
    headers: Vec<(&'a str, &'a str)>,
    body: &'a str,
}

impl<'a> Message<'a> {
    fn of(text: &'a str) -> Self {
        let (head, body) = text.split_once("\n\n").unwrap_or((text, ""));
        let mut lines = head.lines();
        Self {
            first: lines.next().expect("a message has a first line"),
            headers: lines.filter_map(|line| line.split_once(": ")).collect(),
            body: body.trim_end(),
        }
    }

    fn header(&self, name: &str) -> Option<&'a str> {
        let found = self.headers.iter().find(|(header, _)| *header == name);
        found.map(|(_, value)| *value)
    }
}

/// The example of a route must be one that the route takes and answers.
pub(super) fn check(doc: &Operation, request: &str, answer: &str) {
    let (request, answer) = (Message::of(request), Message::of(answer));
    check_request(doc, &request);
    let status: u16 = answer
        .first
        .strip_prefix("HTTP/1.1 ")
        .and_then(|rest| rest.get(..3)?.parse().ok())
        .unwrap_or_else(|| panic!("{} is no status line", answer.first));
    let (success, body) = doc.success;
    if status == success {
        check_answer(doc, &body, &answer);
    } else {
        check_problem(doc, status, &answer);
    }
}

fn check_request(doc: &Operation, request: &Message) {
    let (method, target) = request
        .first
        .split_once(' ')
        .expect("a request has a method and a target");
    let path = target.split('?').next().expect("there is a first part");
    assert_eq!(method, doc.method);
    assert!(is_path(doc.path, path), "{path} is not {}", doc.path);
    if doc.caller == Caller::User {
        let credential = request.header("authorization").unwrap_or_default();
        assert!(
            credential.starts_with("Bearer "),
            "{} needs a credential",
            doc.path
        );
    }
    assert_eq!(
        doc.body.is_some(),
        !request.body.is_empty(),
        "the body of {}",
        doc.path
    );
    if doc.body.is_some() {
        check_body(doc.id, request.body);
    }
}

fn is_path(template: &str, path: &str) -> bool {
    let (wanted, found): (Vec<&str>, Vec<&str>) = (template.split('/').collect(), path.split('/').collect());
    let same =
        |(wanted, found): (&&str, &&str)| wanted == found || (wanted.starts_with('{') && !found.is_empty());
    wanted.len() == found.len() && wanted.iter().zip(&found).all(same)
}

/// **To add** a route with a body: an arm.
fn check_body(route: &str, body: &str) {
    match route {
        "createGuest" => drop(decode::<NewGuest>(body)),
        "createInvitation" => drop(decode::<NewInvitation>(body)),
        "joinGame" => drop(decode::<Join>(body)),
        "playMove" => drop(decode::<PlayMove>(body)),
        "leaveGame" => drop(decode::<CommandId>(body)),
        "offerDraw" => drop(decode::<DrawOffer>(body)),
        "answerDraw" => drop(decode::<DrawAnswer>(body)),
        "giveSeed" => drop(decode::<DiceSeed>(body)),
        other => panic!("the body of {other} is not known here"),
    }
}

fn check_answer(doc: &Operation, body: &Answer, answer: &Message) {
    let media = answer.header("content-type").unwrap_or_default();
    match body {
        Answer::Json(_) => {
            assert_eq!(media, "application/json", "{}", doc.path);
            check_json(doc.id, answer.body);
        }
        Answer::Other("text/event-stream") => check_events(answer.body),
        Answer::Other(wanted) => {
            assert!(
                media.starts_with(wanted) && !answer.body.is_empty(),
                "{}",
                doc.path
            );
        }
        Answer::Empty => assert_eq!(answer.body, "", "{}", doc.path),
    }
}

/// **To add** a route that answers JSON: an arm.
fn check_json(route: &str, body: &str) {
    match route {
        "createGuest" => drop(decode::<Guest>(body)),
        "createSocketTicket" => drop(decode::<SocketTicket>(body)),
        "getActiveGame" => drop(decode::<ActiveGame>(body)),
        "listMyGames" => drop(decode::<FinishedGames>(body)),
        "listPopularGames" => drop(decode::<PopularGames>(body)),
        "getGame" | "getGameToo" => drop(decode::<GameView>(body)),
        "createInvitation" => drop(decode::<InvitationLink>(body)),
        "joinGame" | "playMove" | "leaveGame" | "offerDraw" | "answerDraw" | "giveSeed" => {
            drop(decode::<CommandAnswer>(body));
        }
        "listLegalMoves" => drop(decode::<LegalMoves>(body)),
        "getHealth" | "getReadiness" => drop(decode::<Health>(body)),
        "getClientConfig" => check_client_config(body),
        other => panic!("the answer of {other} is not known here"),
    }
}

/// The service only ever writes it.
fn check_client_config(body: &str) {
    let shown: Value = serde_json::from_str(body).expect("it is JSON");
    let document = turnstream::openapi::document();
    let schema = &document["components"]["schemas"]["ClientConfig"]["properties"];
    let fields = |object: &Value| {
        object
            .as_object()
            .expect("an object")
            .keys()
            .cloned()
            .collect::<Vec<_>>()
    };
    assert_eq!(fields(&shown), fields(schema));
}

fn check_events(stream: &str) {
    let frames: Vec<ServerFrame> = stream
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .map(decode)
        .collect();
    assert!(frames.len() > 1, "a stream of events has some");
}

fn check_problem(doc: &Operation, status: u16, answer: &Message) {
    assert_eq!(answer.header("content-type"), Some("application/problem+json"));
    let problem: Problem = decode(answer.body);
    assert_eq!(problem.status, status);
    assert!(
        doc.problems.contains(&problem.problem),
        "{} does not say that it may fail with {}",
        doc.path,
        problem.problem.uri()
    );
}
