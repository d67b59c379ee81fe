//! The page over HTTP: WebGPU wants a secure context, which 127.0.0.1 is.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

use super::{BrowserError, Job};

const PAGE: &str = include_str!("page.html");

/// Browsers open connections in advance and leave them idle.
const PATIENCE: Duration = Duration::from_secs(10);

/// The longest report that is taken.
const MAX_BODY: u64 = 256 << 20;

/// What the page reports.
pub(super) enum Event {
    /// How far it has come.
    Stage(String),
    /// Why it gave up.
    Failure(String),
    /// What it found.
    Findings(String),
}

pub(super) struct Server {
    listener: TcpListener,
    port: u16,
    job: Arc<str>,
    sender: Sender<Event>,
    receiver: Receiver<Event>,
}

impl Server {
    pub fn new(job: &Job) -> Result<Self, BrowserError> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        let job = serde_json::to_string(job)?.into();
        let (sender, receiver) = mpsc::channel();
        Ok(Self {
            listener,
            port,
            job,
            sender,
            receiver,
        })
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// Answers who is waiting, each on a thread of its own, and returns at once.
    pub fn serve(&self) -> io::Result<()> {
        loop {
            let stream = match self.listener.accept() {
                Ok((stream, _)) => stream,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            };
            let (job, sender) = (Arc::clone(&self.job), self.sender.clone());
            // A connection that breaks is the browser's affair: it opens another or reports less.
            thread::spawn(move || answer(stream, &job, &sender));
        }
    }

    /// The next report.
    pub fn event(&self) -> Option<Event> {
        self.receiver.try_recv().ok()
    }
}

fn answer(mut stream: TcpStream, job: &str, sender: &Sender<Event>) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut request = String::new();
    reader.read_line(&mut request)?;
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else {
            break;
        };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = String::new();
    reader
        .take(std::cmp::min(length, MAX_BODY))
        .read_to_string(&mut body)?;
    let mut words = request.split(' ');
    let event = match (words.next(), words.next()) {
        (Some("GET"), Some("/")) => return reply(&mut stream, "200 OK", "text/html", PAGE),
        (Some("GET"), Some("/job")) => {
            return reply(&mut stream, "200 OK", "application/json", job);
        }
        (Some("POST"), Some("/stage")) => Event::Stage(body),
        (Some("POST"), Some("/failure")) => Event::Failure(body),
        (Some("POST"), Some("/findings")) => Event::Findings(body),
        _ => return reply(&mut stream, "404 Not Found", "text/plain", ""),
    };
    // Nobody listens any more once the findings are in.
    let _ = sender.send(event);
    reply(&mut stream, "200 OK", "text/plain", "")
}

fn reply(stream: &mut TcpStream, status: &str, ty: &str, body: &str) -> io::Result<()> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {ty}; charset=utf-8\r\nContent-Length: {length}\r\n\
         Cache-Control: no-store\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())
}
